import type { List, SiteSectionGroup } from '@octavo/schema';
import { expect, test } from 'vitest';
import { createTestSite } from '../sites/site-client.ts';

test('a section group can add and release sections, which remain after the group is deleted', async () => {
  const { addSection, callJson, send, patch, structure } = await createTestSite();
  const [a, b, c] = [await addSection('Aa'), await addSection('Bb'), await addSection('Cc')];
  const group = await callJson<SiteSectionGroup>('/section-groups', {
    body: { title: 'Group', icon: 'star', sections: [b.id, a.id] },
  });
  const path = `/section-groups/${group.id}`;
  const getSectionIds = (group: SiteSectionGroup) => group.sections.map(({ id }) => id);

  expect(group).toMatchObject({ object: 'site-section-group', title: 'Group', icon: 'star' });
  expect(getSectionIds(group)).toEqual([b.id, a.id]);
  expect(await patch(path, { title: 'Renamed', icon: null })).not.toHaveProperty('icon');
  const added = await send(`${path}/sections`, { body: { sectionId: c.id } });
  expect([added.status, getSectionIds((await added.json()) as SiteSectionGroup)]).toEqual([201, [b.id, a.id, c.id]]);
  expect((await send(`${path}/sections/${b.id}`, { method: 'DELETE' })).status).toBe(205);
  expect((await send(`${path}/sections/${b.id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await callJson<List<SiteSectionGroup>>('/section-groups')).items.map(getSectionIds)).toEqual([[a.id, c.id]]);
  expect((await send(path, { method: 'DELETE' })).status).toBe(205);
  expect((await structure()).structure.map(({ id }) => id)).toEqual([b.id, a.id, c.id]);
});

test('moveSiteSectionGroup moves a group among its siblings', async () => {
  const { addSection, callJson, structure } = await createTestSite();
  await addSection('Aa');
  const groups = [];
  for (const title of ['One', 'Two'])
    groups.push(await callJson<SiteSectionGroup>('/section-groups', { body: { title } }));
  const [one, two] = groups;
  const before = { type: 'site-section-group', siteSectionGroup: one?.id };
  await callJson(`/section-groups/${two?.id}/move`, { body: { position: { before } } });

  expect((await structure()).structure.map(({ title }) => title)).toEqual(['Aa', 'Two', 'One']);
});

test('rejects a group of a site without sections, and sections of another site', async () => {
  const [one, other] = [await createTestSite(), await createTestSite()];
  const { id } = await other.addSection('Other');
  expect((await one.send('/section-groups', { body: { title: 'Group' } })).status).toBe(409);
  await one.addSection('Mine');

  const response = await one.send('/section-groups', { body: { title: 'Group', sections: [id] } });
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('body.sections.0')]);
  const group = await one.callJson<SiteSectionGroup>('/section-groups', { body: { title: 'Group' } });
  expect((await one.send(`/section-groups/${group.id}/sections`, { body: { sectionId: id } })).status).toBe(404);
});
