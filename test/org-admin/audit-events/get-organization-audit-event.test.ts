import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage, merge } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createAuditLogClient } from './activity.ts';

test('returns the event as in the list, with its details', async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const page = await makePage(space, 'A page');
  const changeRequest = await makeChangeRequest(space);
  await edit(space, [{ operation: 'update_page', page, document: { markdown: 'Words.\n' } }], changeRequest.id);
  const { revision } = (await (await merge(space, changeRequest.id)).json()) as { revision: string };
  const { all, details } = createAuditLogClient(organization);
  const merged = (await all()).slice(0, 2);

  const eventDetails = await Promise.all(merged.map(({ id }) => details(id)));
  const event = eventDetails.find(({ action }) => action === 'change_request.merged');

  expect(eventDetails).toEqual(merged.map((each) => expect.objectContaining(each)));
  expect(event).toMatchObject({ schemaVersion: 1, payload: { changeRequest: changeRequest.id, revision } });
  expect(new Set(eventDetails.map(({ correlationId }) => correlationId)).size).toBe(1);
});

test('returns the event at the URL that the list contains', async () => {
  const organization = await platform().makeOrganization();
  const [event] = await createAuditLogClient(organization).all();

  const response = await platform().request(event?.urls.location ?? '', { token: organization.token });

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ id: event?.id });
});

test('returns 404 for a missing event, or one that the log does not show', async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  await makePage(space, 'A page');
  const path = `/v1/spaces/${space.id}/duplicate`;
  await json(path, { token: organization.token, method: 'POST' });
  const rows = query<{ id: string; type: string }>(
    "SELECT id, type FROM outbox WHERE organization = ? AND (type = 'content.changed' OR type = 'index_space')",
    organization.id,
  );
  expect(new Set(rows.map(({ type }) => type)).size).toBe(2);

  for (const id of [...rows.map((row) => row.id), 'evt_nothing']) {
    const response = await platform().request(`${createAuditLogClient(organization).path}/${id}`, {
      token: organization.token,
    });
    expect([id, response.status]).toEqual([id, 404]);
  }
});
