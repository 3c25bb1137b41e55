import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage, merge } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { expectPaging } from '../../support/paging.ts';
import { makeMember, makeTeam } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';
import { createAuditLogClient } from './activity.ts';

test('returns actor, action, target and time, newest first', async () => {
  const organization = await platform().makeOrganization('Otters');
  const started = Date.now();
  const space = await platform().makeSpace({ organization, title: 'A river' });
  const { id: team } = await makeTeam(organization, { title: 'Swimmers' });

  const events = await createAuditLogClient(organization).all();
  const [last] = events;

  expect(last).toMatchObject({
    object: 'audit-event',
    action: 'team.created',
    actor: { type: 'user', id: organization.user, label: 'A tester' },
    source: 'api',
    target: { type: 'team', id: team, label: 'Swimmers' },
  });
  expect(Object.fromEntries(events.map(({ action, target }) => [action, target]))).toMatchObject({
    'space.created': { type: 'space', id: space.id, label: 'A river' },
    'member.added': { type: 'user', id: organization.user, label: 'A tester' },
    'organization.created': { type: 'organization', id: organization.id, label: 'Otters' },
  });
  expect(Date.parse(last?.occurredAt ?? '')).toBeGreaterThanOrEqual(started);
});

test('returns the IP address, user agent and token of the request, also for merges', async () => {
  const { request, makeOrganization, makeSpace } = platform();
  const organization = await makeOrganization();
  const space = await makeSpace({ organization });
  const page = await makePage(space, 'A page');
  const changeRequest = await makeChangeRequest(space);
  await edit(space, [{ operation: 'update_page', page, document: { markdown: 'Other words.\n' } }], changeRequest.id);
  const headers = { 'x-real-ip': '203.0.113.7', 'user-agent': `a client ${'x'.repeat(300)}` };
  const path = `/v1/spaces/${space.id}/change-requests/${changeRequest.id}/merge`;
  const merged = await request(path, { token: space.token, method: 'POST', headers });
  expect(merged.status).toBe(200);

  const [event] = await createAuditLogClient(organization).all({ action: 'change_request.merged' });

  const tokens = await json<{ items: { id: string }[] }>('/v1/user/tokens', organization);
  expect(event).toMatchObject({ target: { type: 'change-request', id: changeRequest.id, label: 'A change' } });
  expect(event?.origin).toEqual({
    ip: '203.0.113.7',
    userAgent: headers['user-agent'].slice(0, 256),
    token: tokens.items[0]?.id,
  });
});

test.each(['not an address', '203.0.113.7, nowhere', '<script>', 'g::1', '1'.repeat(46)])(
  'does not store an invalid IP address: %s',
  async (address) => {
    const { request, makeOrganization } = platform();
    const { id, token } = await makeOrganization();
    const options = { token, method: 'PATCH', body: { title: 'Other' }, headers: { 'x-real-ip': address } };
    expect((await request(`/v1/orgs/${id}`, options)).status).toBe(200);

    const [event] = await createAuditLogClient({ id, token }).all();

    expect(event?.action).toBe('organization.updated');
    expect(event?.origin).not.toHaveProperty('ip');
  },
);

test('omits jobs and internal events', async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  await makePage(space, 'A page');
  const invited = { token: organization.token, body: { emails: [`ada-${Date.now()}@example.test`] } };
  await json(`/v1/orgs/${organization.id}/invites`, invited);
  await json(`/v1/spaces/${space.id}/duplicate`, { token: organization.token, method: 'POST' });

  const actions = new Set((await createAuditLogClient(organization).all()).map(({ action }) => action));

  const types = query<{ type: string }>('SELECT DISTINCT type FROM outbox WHERE organization = ?', organization.id);
  const left = types.map(({ type }) => type).filter((type) => !actions.has(type));
  expect(left).toEqual(expect.arrayContaining(['content.changed', 'mail.requested', 'index_space']));
  expect(left.filter((type) => type.includes('.')).sort()).toEqual(['content.changed', 'mail.requested']);
});

test('filters by time, action, actor and target, combined and alone', async () => {
  const organization = await platform().makeOrganization();
  const editor = await makeMember(organization, 'create');
  const space = await platform().makeSpace({ organization });
  const rename = (token: string, title: string) =>
    json(`/v1/spaces/${space.id}`, { token, method: 'PATCH', body: { title } });
  await rename(editor.token, 'By the editor');
  await rename(organization.token, 'By the admin');
  const { all } = createAuditLogClient(organization);
  const [newest, second] = await all({ action: 'space.updated' });
  const everything = await all();
  const moment = second?.occurredAt ?? '';

  expect([newest?.actor.id, second?.actor.id]).toEqual([organization.user, editor.user]);
  expect(await all({ actor: editor.user, action: 'space.updated' })).toEqual([second]);
  expect(await all({ actor: editor.user, target: space.id, from: moment, to: moment })).toEqual([second]);
  expect(await all({ target: space.id })).toEqual(everything.filter(({ target }) => target.id === space.id));
  expect(await all({ from: moment })).toEqual(everything.filter(({ occurredAt }) => occurredAt >= moment));
  expect(await all({ to: moment.replace('Z', '+00:00') })).toEqual(
    everything.filter(({ occurredAt }) => occurredAt <= moment),
  );
  for (const none of [{ action: 'content.changed' }, { action: "' OR 1=1 --" }, { actor: 'nobody' }, { target: 'x' }]) {
    expect(await all(none as unknown as Record<string, string>)).toEqual([]);
  }
});

test.each([
  ['from=yesterday', 'query.from'],
  ['to=2026-02-30T00:00:00Z', 'query.to'],
  ['from=1700000000', 'query.from'],
  ['actor=%00', 'query.actor'],
  ['target=a%20b', 'query.target'],
  [`action=${'x'.repeat(101)}`, 'query.action'],
])('returns 400 for %s', async (part, path) => {
  const { id, token } = await platform().makeOrganization();
  const response = await platform().request(`/v1/orgs/${id}/audit-events?${part}`, { token });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid', issues: [{ path }] } });
});

test('paginates by cursor, also with filters', async () => {
  const organization = await platform().makeOrganization();
  for (const title of ['One', 'Two', 'Three']) await makeTeam(organization, { title });
  const { path } = createAuditLogClient(organization);

  await expectPaging(path, organization.token, () => makeTeam(organization));
  await expectPaging(`${path}?action=team.created`, organization.token, () => makeTeam(organization));
});

test('a cursor never returns events later than `to`, whatever its position', async () => {
  const organization = await platform().makeOrganization();
  await makeTeam(organization);
  const { page } = createAuditLogClient(organization);
  const { items, next } = await page('?limit=1');
  const early = new Date(Date.parse(items[0]?.occurredAt ?? '') - 3_600_000).toISOString();

  expect(next).toBeDefined();
  expect((await page(`?page=${next?.page}&to=${early}`)).items).toEqual([]);
  expect((await page(`?page=${next?.page}&from=${items[0]?.occurredAt}&to=${early}`)).items).toEqual([]);
});

test.each(['abc', 'WzFd', btoa('["a","b"]'), btoa('[1e999,"a"]'), btoa('[null,"a"]'), ''])(
  'returns 400 for the cursor "%s"',
  async (cursor) => {
    const { status } = createAuditLogClient(await platform().makeOrganization());

    expect(await status(`?page=${cursor}`)).toBe(400);
  },
);

test('both organizations log a transfer, and only the current organization sees the title', async () => {
  const { makeOrganization, makeSpace } = platform();
  const from = await makeOrganization();
  const to = await makeOrganization();
  const { id: invite } = await json<{ id: string }>(`/v1/orgs/${to.id}/link-invites`, {
    token: to.token,
    body: { role: 'create' },
  });
  const { token } = from;
  await json(`/v1/orgs/${to.id}/invites/${invite}`, { token, method: 'POST' });
  const space = await makeSpace({ organization: from, title: 'Wanders' });
  await makeChangeRequest(space, 'A plan');
  const body = { title: 'Around' };
  const collection = await json<{ id: string }>(`/v1/orgs/${from.id}/collections`, { token, body });
  await json(`/v1/spaces/${space.id}/transfer`, { token, body: { organization: to.id } });
  await json(`/v1/collections/${collection.id}/transfer`, { token, body: { organization: to.id } });
  const findTarget = async (organization: typeof from, action: string) =>
    (await createAuditLogClient(organization).all({ action }))[0]?.target;

  expect(await findTarget(from, 'space.transferred')).toEqual({ type: 'space', id: space.id });
  expect(await findTarget(to, 'space.transferred')).toEqual({ type: 'space', id: space.id, label: 'Wanders' });
  const { id } = collection;
  expect(await findTarget(from, 'collection.transferred')).toEqual({ type: 'collection', id });
  expect(await findTarget(to, 'collection.transferred')).toEqual({ type: 'collection', id, label: 'Around' });
  expect(await findTarget(from, 'change_request.created')).not.toHaveProperty('label');
  expect(await findTarget(to, 'change_request.created')).toBeUndefined();
});

test('logs actions of service accounts like those of users, including merges', async () => {
  const organization = await platform().makeOrganization();
  const robot = await makeServiceAccount(organization, 'admin');
  const space = await platform().makeSpace({ organization });
  const changeRequest = await makeChangeRequest({ ...space, token: robot.token });
  expect((await merge({ ...space, token: robot.token }, changeRequest.id)).status).toBe(200);

  const done = await createAuditLogClient(organization).all({ actor: robot.user });

  expect(done.map(({ action }) => action)).toContain('change_request.merged');
  expect(done[0]?.actor).toEqual({ type: 'user', id: robot.user, label: 'A robot' });
});
