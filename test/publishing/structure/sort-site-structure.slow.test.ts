import type { SiteExternalLink, SiteSectionGroup } from '@octavo/schema';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { createTestSite } from '../sites/site-client.ts';

async function createStructure() {
  const site = await createTestSite();
  const [a, b, c] = [await site.addSection('Aa'), await site.addSection('Bb'), await site.addSection('Cc')];
  const group = await site.callJson<SiteSectionGroup>('/section-groups', {
    body: { title: 'Group', sections: [b.id] },
  });
  const link = await site.callJson<SiteExternalLink>('/external-links', {
    body: { title: 'Link', url: 'https://a.test' },
  });
  const inside = { title: 'Inside', url: 'https://b.test', parent: group.id };
  const linked = await site.callJson<SiteExternalLink>('/external-links', { body: inside });
  const createPointer = ({ object: type, id }: { object: string; id: string }) => ({ type, id });
  const sort = (item: object, position?: object) =>
    site.send('/structure/sort', { method: 'PATCH', body: { item, position } });
  return { ...site, ...{ a, b, c, group, link, linked, pointer: createPointer, sort } };
}

test('getSiteStructure returns sections, groups and links in their order', async () => {
  const { structure, a, b, c, group, link, linked } = await createStructure();

  expect(await structure()).toMatchObject({
    type: 'sections',
    structure: [
      { id: a.id },
      { id: c.id },
      {
        object: 'site-section-group',
        id: group.id,
        sections: [{ id: b.id }],
        children: [{ id: b.id }, { id: linked.id }],
      },
      { object: 'site-external-link', id: link.id, url: 'https://a.test', draft: false },
    ],
  });
});

test('sortSiteStructure moves each item among its siblings, and returns the result', async () => {
  const { structure, a, b, c, group, link, linked, pointer, sort } = await createStructure();
  const response = await sort(pointer(link), { before: pointer(a) });
  expect([response.status, await response.json()]).toEqual([200, link]);
  await sort(pointer(group), { after: pointer(link), before: pointer(a) });
  await sort(pointer(linked), { before: pointer(b) });
  await sort(pointer(a));

  expect((await structure()).structure.map(({ id }) => id)).toEqual([link.id, group.id, c.id, a.id]);
  expect((await structure()).structure[1]).toMatchObject({ children: [{ id: linked.id }, { id: b.id }] });
  const bad = await sort(pointer(a), { before: pointer(b) });
  expect([bad.status, await bad.text()]).toEqual([400, expect.stringContaining('body.position.before')]);
  expect((await sort(pointer(a), { after: pointer(c), before: pointer(group) })).status).toBe(400);
  expect((await sort({ type: 'site-section', id: 'sec_x' })).status).toBe(404);
  expect((await sort({ type: 'site-section', id: group.id })).status).toBe(404);
});

test('25 concurrent sorts leave each item at one position', async () => {
  const { a, b: _, c, group, link, pointer, sort, id } = await createStructure();
  const items = [a, c, group, link];
  const sent = Array.from({ length: 25 }, (_, index) => {
    const [item, other] = [items[index % 4], items[(index + 1) % 4]];
    return item && other ? sort(pointer(item), { before: pointer(other) }) : undefined;
  });
  const statuses = (await Promise.all(sent)).map((response) => response?.status);

  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  const positions = query(
    `SELECT position FROM site_sections WHERE site = ?1 UNION ALL
    SELECT position FROM site_section_groups WHERE site = ?1 UNION ALL
    SELECT position FROM site_external_links WHERE site = ?1`,
    id,
  );
  expect(new Set(positions.map(({ position }) => position)).size).toBe(6);
});

test('150 insertions between the same two items succeed', async () => {
  const { a, c, link, pointer, sort, structure } = await createStructure();
  for (let count = 0; count < 150; count += 1) {
    const item = count % 2 === 0 ? link : a;
    expect((await sort(pointer(item), { before: pointer(c) })).status).toBe(200);
  }

  expect((await structure()).structure.slice(0, 3).map(({ id }) => id)).toEqual([link.id, a.id, c.id]);
});
