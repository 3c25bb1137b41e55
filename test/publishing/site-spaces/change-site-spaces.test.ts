import type { List, SiteSpace } from '@octavo/schema';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { walkItems } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite } from '../sites/site-client.ts';

const list = async (site: Awaited<ReturnType<typeof createTestSite>>, filter = '') =>
  (await site.callJson<List<SiteSpace>>(`/site-spaces${filter}`)).items;

test('listSiteSpaces lists the site spaces by section, page by page', async () => {
  const site = await createTestSite({ title: 'Docs' });
  const first = await site.addSpace('First');
  const api = await site.addSection('API');
  const second = await site.addSpace('Second', { sectionId: api.id });
  const other = await site.addSection('Other');

  const ids = (await list(site)).map(({ id }) => id);
  expect(ids).toEqual([first.id, api.siteSpaces[0]?.id, second.id, other.siteSpaces[0]?.id]);
  expect(await walkItems(`${site.base}/site-spaces`, site.organization.token, { limit: 1 })).toMatchObject(
    ids.map((id) => ({ id })),
  );
  expect((await list(site, '?default=true')).map(({ id }) => id)).toEqual([api.siteSpaces[0]?.id]);
  expect(await list(site, '?default=false')).toHaveLength(3);
});

test('listSiteSpaces omits spaces that a member cannot view', async () => {
  const { request, makeUser } = platform();
  const site = await createTestSite();
  const { space } = await site.addSpace('Hidden');
  const siteSpace = await site.addSpace('Shown');
  const { token } = await makeUser({ organization: site.organization.id, role: 'read' });
  const body = { defaultLevel: 'none' };
  await request(`/v1/spaces/${space.id}`, { token: site.organization.token, method: 'PATCH', body });

  const { items } = (await (await site.send('/site-spaces', { token })).json()) as List<SiteSpace>;
  expect(items).toMatchObject([{ id: siteSpace.id, space: { permissions: { edit: false } } }]);
});

test('updateSiteSpaceById changes the given fields: path, condition and space', async () => {
  const { addSpace, patch, space, send } = await createTestSite();
  const { id } = await addSpace('Guides');
  const other = await addSpace('Other');
  const condition = 'visitor.claims.isBeta';
  const spaceId = await space('New');

  expect(await patch(`/site-spaces/${id}`, { path: 'g', condition })).toMatchObject({ path: 'g', condition });
  expect(await patch(`/site-spaces/${id}`, { spaceId })).toMatchObject({ path: 'g', condition, title: 'New' });
  expect(await patch(`/site-spaces/${id}`, { condition: null })).not.toHaveProperty('condition');
  const update = (body: object) => send(`/site-spaces/${id}`, { method: 'PATCH', body });
  expect((await update({ path: other.path })).status).toBe(409);
  const bad = await update({ condition: 'visitor.claims.x(' });
  expect([bad.status, await bad.text()]).toEqual([400, expect.stringContaining('body.condition')]);
  expect((await update({ spaceId: (await platform().makeSpace()).id })).status).toBe(404);
});

test('deleteSiteSpaceById keeps the space and chooses another default', async () => {
  const { addSpace, send, id, get } = await createTestSite();
  const [first, second, third] = [await addSpace('1 one'), await addSpace('2 two'), await addSpace('3 three')];
  await send(`/site-spaces/${first.id}`, { method: 'DELETE' });

  expect(query('SELECT id, is_default FROM site_spaces WHERE site = ? ORDER BY position', id)).toEqual([
    { id: second.id, is_default: 1 },
    { id: third.id, is_default: 0 },
  ]);
  expect((await send(`/site-spaces/${first.id}`, { method: 'DELETE' })).status).toBe(404);
  for (const { id: each } of [second, third]) await send(`/site-spaces/${each}`, { method: 'DELETE' });
  expect((await get()).siteSpaces).toBe(0);
  expect(await addSpace('Again')).toMatchObject({ default: true });
});

test('deleteSiteSpaceById permanently removes a space that is in the trash from the site', async () => {
  const { addSpace, send, id, get, organization } = await createTestSite();
  await addSpace('Stays');
  const gone = await addSpace('Gone');
  const token = organization.token;
  await platform().request(`/v1/spaces/${gone.space.id}`, { token, method: 'DELETE' });
  const other = await createTestSite();

  expect((await other.send(`/site-spaces/${gone.id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await send(`/site-spaces/${gone.id}`, { method: 'DELETE' })).status).toBe(205);
  expect(query('SELECT id FROM site_spaces WHERE site = ? AND space = ?', id, gone.space.id)).toEqual([]);
  expect((await get()).siteSpaces).toBe(1);
});

test('25 concurrent removals leave exactly one default', async () => {
  const { addSpace, send, id, get } = await createTestSite();
  const all: string[] = [];
  for (let count = 0; count < 26; count += 1) all.push((await addSpace(`Space ${count}`)).id);
  await Promise.all(all.slice(0, 25).map((each) => send(`/site-spaces/${each}`, { method: 'DELETE' })));

  expect(query('SELECT id FROM site_spaces WHERE site = ? AND is_default', id)).toEqual([{ id: all[25] }]);
  expect((await get()).siteSpaces).toBe(1);
});

test('moveSiteSpace moves a site space among its siblings, and to the end without a position', async () => {
  const site = await createTestSite();
  const { addSpace, callJson, send } = site;
  const [a, b, c] = [await addSpace('Aa'), await addSpace('Bb'), await addSpace('Cc')];
  const createPointer = ({ id: siteSpace }: SiteSpace) => ({ type: 'site-space', siteSpace });
  const order = async () => (await list(site)).map(({ title }) => title);
  const move = ({ id }: SiteSpace, position?: object) => callJson(`/site-spaces/${id}/move`, { body: { position } });

  expect(await move(a)).toMatchObject({ id: a.id });
  expect(await order()).toEqual(['Bb', 'Cc', 'Aa']);
  await move(a, { before: createPointer(b) });
  await move(c, { after: createPointer(a), before: createPointer(b) });
  expect(await order()).toEqual(['Aa', 'Cc', 'Bb']);
  const bad = await send(`/site-spaces/${a.id}/move`, { body: { position: { before: createPointer(a) } } });
  expect(bad.status).toBe(400);
});
