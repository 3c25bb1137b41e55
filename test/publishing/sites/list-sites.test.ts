import type { List, Site } from '@octavo/schema';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { walkItems } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite, makeSite } from './site-client.ts';

const listTitles = async (organization: { id: string }, token: string, filter = '') =>
  (await json<List<Site>>(`/v1/orgs/${organization.id}/sites${filter}`, { token })).items.map(({ title }) => title);

test('lists the newest first, page by page', async () => {
  const { organization } = await createTestSite({ title: 'Site 0' });
  for (let count = 1; count < 5; count += 1) await makeSite(organization, { title: `Site ${count}` });

  const items = await walkItems(`/v1/orgs/${organization.id}/sites`, organization.token, { limit: 2 });

  expect(items).toHaveLength(5);
  expect(await listTitles(organization, organization.token)).toHaveLength(5);
});

test('filters by title, space, type and whether it is published', async () => {
  const { organization, publish, addSpace } = await createTestSite({ title: 'First' });
  const { space } = await addSpace('Guides');
  await publish();
  await makeSite(organization, { title: 'Second', type: 'premium' });
  const { token } = organization;

  expect(await listTitles(organization, token, '?title=fir')).toEqual(['First']);
  expect(await listTitles(organization, token, `?space=${space.id}`)).toEqual(['First']);
  expect(await listTitles(organization, token, '?published=true')).toEqual(['First']);
  expect(await listTitles(organization, token, '?published=false')).toEqual(['Second']);
  expect(await listTitles(organization, token, '?type=premium&type=ultimate')).toEqual(['Second']);
  expect(await listTitles(organization, token, '?type=basic')).toEqual(['First']);
});

test('a guest can read and list only sites with a space that they can view', async () => {
  const { makeUser, request } = platform();
  const seen = await createTestSite({ title: 'Seen' });
  const { organization } = seen;
  const hidden = await makeSite(organization, { title: 'Hidden' });
  await hidden.addSpace('Other');
  const { space } = await seen.addSpace('Guides');
  const guest = await makeUser({ organization: organization.id, role: null as unknown as string });
  const body = { users: [guest.user], role: 'read' };
  await request(`/v1/spaces/${space.id}/permissions`, { token: organization.token, body });

  expect(await listTitles(organization, guest.token)).toEqual(['Seen']);
  expect((await seen.send('', guest)).status).toBe(200);
  expect((await hidden.send('', guest)).status).toBe(404);
  expect((await seen.send('', { ...guest, method: 'PATCH', body: { title: 'Mine' } })).status).toBe(403);
});
