import type { List, SiteSection } from '@octavo/schema';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite } from '../sites/site-client.ts';

test('addSectionToSite makes the first section the default, and moves existing content to a section titled like the site', async () => {
  const { addSpace, space, callJson, structure, publish } = await createTestSite({ title: 'Docs' });
  const first = await addSpace('Guides');
  const base = (await publish()).urls.published;
  const body = { spaceId: await space('Reference'), icon: 'book' };

  const section = await callJson<SiteSection>('/sections', { body });

  expect(section).toMatchObject({
    object: 'site-section',
    id: expect.stringMatching(/^sec_\w{20}$/),
    title: 'Reference',
    path: 'reference',
    default: true,
    icon: 'book',
    siteSpaces: [{ title: 'Reference', path: 'reference', default: true, section: section.id }],
    urls: { published: base },
  });
  expect(await structure()).toMatchObject({
    type: 'sections',
    structure: [
      { title: 'Docs', path: 'docs', default: false, siteSpaces: [{ id: first.id, default: true }] },
      { id: section.id },
    ],
  });
});

test('25 concurrent first sections move existing content once, with one default and unique paths', async () => {
  const { addSpace, space, callJson, id, get } = await createTestSite({ title: 'Docs' });
  await addSpace('Guides');
  const spaceId = await space('API');
  await Promise.all(Array.from({ length: 25 }, () => callJson('/sections', { body: { spaceId, title: 'API' } })));

  const rows = query<{ path: string; is_default: number }>(
    'SELECT path, is_default FROM site_sections WHERE site = ?',
    id,
  );
  expect(rows).toHaveLength(26);
  expect(new Set(rows.map(({ path }) => path)).size).toBe(26);
  expect(rows.filter(({ is_default: isDefault }) => isDefault)).toHaveLength(1);
  expect(query("SELECT id FROM site_spaces WHERE site = ? AND section = ''", id)).toEqual([]);
  expect((await get()).siteSpaces).toBe(26);
});

test('addSectionToSite allows a hundred sections', async () => {
  const { space, send, callJson } = await createTestSite();
  const body = { spaceId: await space('API'), title: 'API' };
  await callJson('/sections', { body });
  for (let count = 1; count < 100; count += 11) {
    await Promise.all(Array.from({ length: 11 }, () => send('/sections', { body })));
  }
  const response = await send('/sections', { body });

  expect([response.status, await response.text()]).toEqual([409, expect.stringContaining('at most 100 sections')]);
});

test('updateSiteSectionById changes the given fields, and removes those set to null', async () => {
  const { addSection, addSpace, patch, send, callJson } = await createTestSite();
  const first = await addSection('One');
  const { id } = await addSection('Two');
  const more = await addSpace('More', { sectionId: id });
  const { id: group } = await callJson<{ id: string }>('/section-groups', { body: { title: 'Group' } });
  const changes = { title: 'New', path: 'new', condition: 'visitor.claims.x', icon: 'star', description: 'Words' };

  expect(await patch(`/sections/${id}`, { ...changes, siteSectionGroupId: group })).toMatchObject({
    ...changes,
    sectionGroup: group,
  });
  expect(await patch<SiteSection>(`/sections/${id}`, { defaultSiteSpace: more.id })).toMatchObject({
    ...changes,
    siteSpaces: [{ default: false }, { id: more.id, default: true }],
  });
  const cleared = { condition: null, icon: null, description: null, siteSectionGroupId: null };
  const after = await patch<SiteSection>(`/sections/${id}`, cleared);
  for (const field of ['condition', 'icon', 'description', 'sectionGroup']) expect(after).not.toHaveProperty(field);
  const update = async (body: object) => (await send(`/sections/${id}`, { method: 'PATCH', body })).status;
  expect(await update({ path: first.path })).toBe(409);
  expect(await update({ condition: '1 +' })).toBe(400);
  expect(await update({ siteSectionGroupId: 'secg_x' })).toBe(404);
  expect(await update({ defaultSiteSpace: first.siteSpaces[0]?.id })).toBe(404);
});

test('deleteSiteSectionById keeps the spaces and chooses another default', async () => {
  const { addSection, send, callJson, get, structure, addSpace } = await createTestSite();
  const first = await addSection('One');
  const second = await addSection('Two');

  expect((await send(`/sections/${first.id}`, { method: 'DELETE' })).status).toBe(205);
  expect((await callJson<List<SiteSection>>('/sections')).items).toMatchObject([{ id: second.id, default: true }]);
  expect((await get()).siteSpaces).toBe(1);
  await send(`/sections/${second.id}`, { method: 'DELETE' });
  expect(await structure()).toEqual({ type: 'siteSpaces', structure: [] });
  expect(await addSpace('Root')).toMatchObject({ default: true });
});

test('moveSiteSection moves a section among its siblings', async () => {
  const { addSection, callJson } = await createTestSite();
  const [a, b] = [await addSection('Aa'), await addSection('Bb')];
  await callJson(`/sections/${a.id}/move`, { method: 'POST' });

  expect((await callJson<List<SiteSection>>('/sections')).items.map(({ id }) => id)).toEqual([b.id, a.id]);
});

test('returns 404 for sections of another site', async () => {
  const [one, other] = [await createTestSite(), await createTestSite()];
  const { id } = await one.addSection('One');

  for (const [path, method] of [
    [`/sections/${id}`, 'PATCH'],
    [`/sections/${id}`, 'DELETE'],
    [`/sections/${id}/move`, 'POST'],
  ] as const) {
    expect(
      (await other.send(path, { method, ...(method === 'PATCH' ? { body: { title: 'Mine' } } : {}) })).status,
    ).toBe(404);
  }
  expect((await platform().request(`${one.base}/sections`, { token: other.organization.token })).status).toBe(404);
});
