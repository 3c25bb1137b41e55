import type { SiteExternalLink, SiteSectionGroup } from '@octavo/schema';
import { expect, test } from 'vitest';
import { createTestSite } from '../sites/site-client.ts';

test('adds, changes and deletes an external link', async () => {
  const { addSection, callJson, patch, send, structure } = await createTestSite();
  await addSection('Aa');
  const group = await callJson<SiteSectionGroup>('/section-groups', { body: { title: 'Group' } });
  const body = {
    title: 'Link',
    url: 'https://a.test/',
    description: 'Words',
    icon: 'star',
    condition: 'visitor.claims.x',
  };
  const link = await callJson<SiteExternalLink>('/external-links', { body });
  const path = `/external-links/${link.id}`;

  expect(link).toEqual({ object: 'site-external-link', id: link.id, ...body, draft: false });
  expect(await patch(path, { parent: group.id, title: 'New' })).toMatchObject({ title: 'New', sectionGroup: group.id });
  const cleared = { parent: null, description: null, icon: null, condition: null };
  expect(await patch(path, cleared)).toEqual({
    ...{ object: 'site-external-link', id: link.id, title: 'New', url: body.url, draft: false },
  });
  expect((await send(path, { method: 'DELETE' })).status).toBe(205);
  expect((await send(path, { method: 'DELETE' })).status).toBe(404);
  expect((await structure()).structure).toHaveLength(2);
});

test.each(['javascript:alert(1)', 'data:text/html,x', '/path', 'ftp://a.test', 'https://'])(
  'rejects the URL %s',
  async (url) => {
    const { addSection, send } = await createTestSite();
    await addSection('Aa');

    expect((await send('/external-links', { body: { title: 'Link', url } })).status).toBe(400);
  },
);
