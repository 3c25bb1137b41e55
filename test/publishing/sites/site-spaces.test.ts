import type { List, SiteSpace, Space } from '@octavo/schema';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite, makeSite, type SiteClient } from './site-client.ts';

const readDefaults = ({ id }: SiteClient) => query('SELECT id FROM site_spaces WHERE site = ? AND is_default', id);
const readPublished = async (site: SiteClient) =>
  (await site.callJson<List<SiteSpace>>('/site-spaces')).items.map(({ title, default: isDefault }) => [
    title,
    isDefault,
  ]);
const write = ({ organization: { token } }: SiteClient, path: string, method: string, body?: object) =>
  json<Space>(`/v1/spaces/${path}`, { token, method, body });
const remove = (site: SiteClient, space: string) =>
  platform().request(`/v1/spaces/${space}`, { token: site.organization.token, method: 'DELETE' });

test('the visibility of a space is that of the most public published site that contains it', async () => {
  const first = await createTestSite({ title: 'First', visibility: 'visitor-auth' });
  const { space } = await first.addSpace('Guides');
  const get = () => write(first, space.id, 'GET');
  expect(await get()).toMatchObject({ visibility: 'private' });
  expect((await get()).urls).not.toHaveProperty('published');
  const own = (await first.publish()).urls.published;
  expect(await get()).toMatchObject({ visibility: 'visitor-auth', urls: { published: own } });
  expect((await get()).urls).not.toHaveProperty('public');

  const second = await makeSite(first.organization, { title: 'Second' });
  await second.addSpace('Other');
  await second.callJson('/site-spaces', { body: { spaceId: space.id } });
  const base = (await second.publish()).urls.published;

  expect(await get()).toMatchObject({
    visibility: 'public',
    urls: { published: `${base}guides`, public: `${base}guides` },
  });
  const spaces = await json<List<Space>>(`/v1/orgs/${first.organization.id}/spaces`, {
    token: first.organization.token,
  });
  expect(spaces.items.find(({ id }) => id === space.id)?.visibility).toBe('public');
  await second.callJson('/unpublish', { method: 'POST' });
  expect(await get()).toMatchObject({ visibility: 'visitor-auth' });
});

test('a space in the trash is not shown or used as default, and a restore returns it to its position', async () => {
  const site = await createTestSite();
  const first = await site.addSpace('First');
  const second = await site.addSpace('Second');
  expect((await remove(site, first.space.id)).status).toBe(205);
  expect(await readPublished(site)).toEqual([['Second', true]]);
  await write(site, `${first.space.id}/restore`, 'POST');
  expect(await readPublished(site)).toEqual([
    ['First', false],
    ['Second', true],
  ]);

  await remove(site, first.space.id);
  await remove(site, second.space.id);
  expect(await readPublished(site)).toEqual([]);
  expect(readDefaults(site)).toHaveLength(1);
  await write(site, `${first.space.id}/restore`, 'POST');
  expect(await readPublished(site)).toEqual([['First', true]]);
  await remove(site, first.space.id);
  await site.addSpace('Third');
  expect(await readPublished(site)).toEqual([['Third', true]]);
  expect(readDefaults(site)).toHaveLength(1);
});

test('spaces that are trashed with their collection are no longer the default', async () => {
  const site = await createTestSite();
  const { token, id } = site.organization;
  const collection = await json<{ id: string }>(`/v1/orgs/${id}/collections`, { token, body: {} });
  const first = await site.addSpace('First');
  await site.addSpace('Second');
  await write(site, `${first.space.id}/move`, 'POST', { parent: collection.id });
  expect(await readPublished(site)).toEqual([
    ['First', true],
    ['Second', false],
  ]);

  await platform().request(`/v1/collections/${collection.id}`, { token, method: 'DELETE' });

  expect(await readPublished(site)).toEqual([['Second', true]]);
});

test('a transferred space is removed from the sites of its former organization', async () => {
  const site = await createTestSite();
  const first = await site.addSpace('First');
  await site.addSpace('Second');
  const { token } = site.organization;
  const other = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'Another' } });
  await write(site, `${first.space.id}/transfer`, 'POST', { organization: other.id });

  expect(query('SELECT path, is_default FROM site_spaces WHERE site = ?', site.id)).toEqual([
    { path: 'second', is_default: 1 },
  ]);
  expect((await site.get()).siteSpaces).toBe(1);
});

test('spaces that are transferred with a collection are removed from the sites too', async () => {
  const site = await createTestSite();
  const { token, id } = site.organization;
  const collection = await json<{ id: string }>(`/v1/orgs/${id}/collections`, { token, body: {} });
  const first = await site.addSpace('First');
  await site.addSpace('Second');
  await write(site, `${first.space.id}/move`, 'POST', { parent: collection.id });
  const other = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'Another' } });
  await json(`/v1/collections/${collection.id}/transfer`, { token, body: { organization: other.id } });

  expect(await readPublished(site)).toEqual([['Second', true]]);
  expect((await site.get()).siteSpaces).toBe(1);
});
