import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite } from './site-client.ts';

test('deletes all data of the site, but no space', async () => {
  const { id, addSpace, addSection, callJson, send, organization } = await createTestSite();
  const { space } = await addSpace('Guides');
  await addSection('API');
  await callJson('/section-groups', { body: { title: 'A group' } });
  await callJson('/external-links', { body: { title: 'A link', url: 'https://example.test' } });
  await callJson('/share-links', { body: { name: 'A key' } });

  expect((await send('', { method: 'DELETE' })).status).toBe(205);
  expect((await send('')).status).toBe(404);
  expect((await send('', { method: 'DELETE' })).status).toBe(404);
  const tables = query<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'site_*'");
  expect(tables.length).toBeGreaterThan(6);
  for (const { name } of tables) expect([name, query(`SELECT * FROM ${name} WHERE site = ?`, id)]).toEqual([name, []]);
  await json(`/v1/spaces/${space.id}`, { token: organization.token });
});

test('deleting the default site of an organization leaves it without default content', async () => {
  const { id, send, organization } = await createTestSite();
  const { request } = platform();
  const path = `/v1/orgs/${organization.id}`;
  const defaultContent = { type: 'site', site: id };
  const set = (body: object) => request(path, { token: organization.token, method: 'PATCH', body });
  const other = await createTestSite();
  expect((await set({ defaultContent: { type: 'site', site: other.id } })).status).toBe(400);
  expect(await (await set({ defaultContent })).json()).toMatchObject({ defaultContent });

  await send('', { method: 'DELETE' });

  expect(await json(path, { token: organization.token })).not.toHaveProperty('defaultContent');
});
