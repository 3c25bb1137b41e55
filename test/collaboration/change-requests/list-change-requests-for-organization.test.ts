import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging, walk, walkItems } from '../../support/paging.ts';
import { guest, makeMember, makeTeam } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import { createReviewClient } from '../review-client.ts';

const getList = ({ id }: { id: string }) => `/v1/orgs/${id}/change-requests`;

test('lists open change requests of all spaces by default, each equal to its single read', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const [draft, open, archived] = [
    await createReviewClient(organization),
    await createReviewClient(organization),
    await createReviewClient(organization),
  ];
  await open.patch({ status: 'open', description: 'Why.' });
  await archived.patch({ status: 'archived' });
  const path = getList(organization);

  expect(await walkItems(path, token)).toEqual([await open.read()]);
  expect(await walk(`${path}?status=draft`, token)).toEqual([draft.id]);
  const all = await walk(`${path}?status=draft&status=open&status=archived&status=open`, token, { limit: 1 });
  expect(all).toEqual([archived.id, open.id, draft.id]);
  expect(await walk(`${path}?status=draft&status=open&space=${draft.space.id}`, token)).toEqual([draft.id]);
  expect(await walk(`${path}?status=draft&space=spc_none`, token)).toEqual([]);
  for (const status of ['closed', '', 'draft&status=closed'])
    expect((await platform().request(`${path}?status=${status}`, { token })).status).toBe(400);
});

test('paginates by cursor over several statuses, in both orders', async () => {
  const organization = await platform().makeOrganization();
  const first = await createReviewClient(organization);
  const second = await createReviewClient(organization);
  const third = await createReviewClient(organization);
  await second.patch({ status: 'open' });
  const path = `${getList(organization)}?status=draft&status=open`;
  await expectPaging(path, organization.token, () => createReviewClient(organization));
  await first.edit();

  const recent = await walk(`${path}&orderBy=updatedAt`, organization.token, { limit: 1 });

  expect(recent[0]).toBe(first.id);
  expect(recent.indexOf(second.id)).toBeLessThan(recent.indexOf(third.id));
  const times = (await walkItems(`${path}&orderBy=updatedAt`, organization.token)) as { updatedAt?: string }[];
  const shown = times.map(({ updatedAt = '' }) => updatedAt);
  expect(shown).toEqual(shown.toSorted().toReversed());
});

test('filters by creator, contributor and requested reviewer, alone and together', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const [editor, reviewer] = [await makeMember(organization, 'edit'), await makeMember(organization)];
  const team = await makeTeam(organization, { members: [reviewer.user] });
  const [edited, asked, asTeam, none] = [
    await createReviewClient(organization),
    await createReviewClient(organization),
    await createReviewClient(organization),
    await createReviewClient(organization),
  ];
  await edited.edit(editor.token);
  await asked.edit(editor.token);
  await asked.ask([reviewer.user]);
  await asTeam.ask([], [team.id]);
  const theirs = await json<{ id: string }>(`/v1/spaces/${none.space.id}/change-requests`, {
    token: editor.token,
    body: {},
  });
  const listIds = async (query: string) =>
    new Set(await walk(`${getList(organization)}?status=draft&status=open&${query}`, token, { limit: 1 }));

  expect(await listIds(`creator=${editor.user}`)).toEqual(new Set([theirs.id]));
  expect(await listIds(`contributor=${editor.user}`)).toEqual(new Set([edited.id, asked.id]));
  expect(await listIds(`requestedReviewer=${reviewer.user}`)).toEqual(new Set([asked.id, asTeam.id]));
  expect(await listIds(`requestedReviewer=${reviewer.user}&contributor=${editor.user}`)).toEqual(new Set([asked.id]));
  expect(await listIds(`requestedReviewer=${reviewer.user}&space=${asTeam.space.id}`)).toEqual(new Set([asTeam.id]));
  expect(await listIds(`requestedReviewer=${reviewer.user}&creator=${editor.user}`)).toEqual(new Set());
  expect(await listIds(`creator=${organization.user}&space=${none.space.id}`)).toEqual(new Set([none.id]));
  expect(await listIds(`requestedReviewer=${team.id}`)).toEqual(new Set());
  await asTeam.review(reviewer.token);
  expect(await listIds(`requestedReviewer=${reviewer.user}`)).toEqual(new Set([asked.id]));
});

test('omits deleted and hidden spaces, and lists for a guest only the spaces shared with them', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const [shown, hidden, deleted] = [
    await createReviewClient(organization),
    await createReviewClient(organization),
    await createReviewClient(organization),
  ];
  const [reader, invited] = [await makeMember(organization, 'read'), await makeMember(organization, guest)];
  const getSpacePath = (change: typeof shown) => `/v1/spaces/${change.space.id}`;
  await json(getSpacePath(hidden), { token, method: 'PATCH', body: { defaultLevel: 'none' } });
  await platform().request(getSpacePath(deleted), { token, method: 'DELETE' });
  const request = { token, body: { users: [invited.user], role: 'read' } };
  expect((await platform().request(`${getSpacePath(hidden)}/permissions`, request)).ok).toBe(true);
  const path = `${getList(organization)}?status=draft`;

  expect(await walk(path, token)).toEqual([hidden.id, shown.id]);
  expect(await walk(path, reader.token)).toEqual([shown.id]);
  expect(await walk(path, invited.token)).toEqual([hidden.id]);
  expect(await walk(`${path}&status=open`, invited.token)).toEqual([hidden.id]);
  expect(await walk(`${path}&space=${shown.space.id}`, invited.token)).toEqual([]);
  expect(await walk(`${path}&creator=${organization.user}`, invited.token)).toEqual([hidden.id]);
  const stranger = await platform().makeOrganization();
  expect((await platform().request(path, { token: stranger.token })).status).toBe(404);
  expect(await walk(`${getList(stranger)}?status=draft&space=${shown.space.id}`, stranger.token)).toEqual([]);
});

test('lists change requests of a transferred space in its new organization', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const other = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'The other' } });
  const { id, space } = await createReviewClient(organization);
  await platform().request(`/v1/spaces/${space.id}/transfer`, { token, body: { organization: other.id } });

  expect(await walk(`${getList(organization)}?status=draft`, token)).toEqual([]);
  expect(await walk(`${getList(other)}?status=draft`, token)).toEqual([id]);
});

test('rejects a filter by site', async () => {
  const organization = await platform().makeOrganization();

  const response = await platform().request(`${getList(organization)}?site=site_1`, { token: organization.token });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { issues: [{ path: 'query.site' }] } });
});
