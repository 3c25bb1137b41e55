import { mergeCustomizations } from '@octavo/schema';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { getSite } from '../customized-site.ts';
import { makeCustomizedSiteSpace } from './site-space-customization.ts';

test('changes the given fields, and inherits all others from the site', async () => {
  const { call, patch, read, readSite } = await makeCustomizedSiteSpace({ title: 'The docs' });

  const response = await patch({ title: 'Les docs', internationalization: { locale: 'fr' } });
  expect(response.status).toBe(200);
  await patch({ styling: { corners: 'straight' }, header: { primaryLink: { kind: 'space', space: 'spc_1' } } });
  await call('/customization', { method: 'PUT', body: { title: 'Docs', themes: { default: 'dark' } } });

  const site = await readSite();
  expect(site).toMatchObject({ title: 'Docs', styling: { corners: 'rounded' } });
  expect(await read()).toEqual({
    ...site,
    title: 'Les docs',
    internationalization: { locale: 'fr' },
    styling: { ...site.styling, corners: 'straight' },
    header: { ...site.header, primaryLink: { kind: 'space', space: 'spc_1' } },
    updatedAt: expect.any(String),
  });
});

test("null resets a field or group to the site's value", async () => {
  const { patch, read } = await makeCustomizedSiteSpace({ title: 'The docs', footer: { copyright: 'Site' } });
  await patch({
    title: 'Own',
    favicon: { emoji: '🐙' },
    footer: { copyright: 'Own', groups: [{ title: 'Own', links: [] }] },
    styling: { sidebar: { list: 'pill', background: 'filled' } },
  });

  await patch({ title: null, footer: null, styling: { sidebar: { list: null } } });

  expect(await read()).toMatchObject({
    title: 'The docs',
    favicon: { emoji: '🐙' },
    footer: { copyright: 'Site', groups: [] },
    styling: { sidebar: { list: 'default', background: 'filled' } },
  });
});

test('replaces links and icons completely instead of merging them', async () => {
  const { patch, read } = await makeCustomizedSiteSpace();
  await patch({ header: { primaryLink: { kind: 'page', page: 'pg_1' } }, favicon: { emoji: '🐙' } });
  const icon = { light: 'https://example.com/a.png', dark: 'https://example.com/a.png' };
  await patch({ header: { primaryLink: { kind: 'url', url: 'https://example.com' } }, favicon: { icon } });

  const { header, favicon } = await read();
  expect(header.primaryLink).toEqual({ kind: 'url', url: 'https://example.com' });
  expect(favicon).toEqual({ icon });
});

test('disabling a page action of a site space does not change the site', async () => {
  const { patch, read, readSite } = await makeCustomizedSiteSpace();

  await patch({ pageActions: { markdown: false } });

  expect((await read()).pageActions).toEqual({ items: ['external-ai'], externalAI: true, markdown: false });
  expect((await readSite()).pageActions).toEqual(mergeCustomizations().pageActions);
});

test("null resets page actions to the site's, even if the request sets another group", async () => {
  const { patch, read } = await makeCustomizedSiteSpace();
  await patch({ pageActions: { items: ['pdf'] } });

  expect((await patch({ pageActions: null, pdf: null, git: { showEditLink: true } })).status).toBe(200);

  const { pageActions, git, pdf } = await read();
  expect([pageActions.items, git.showEditLink, pdf.enabled]).toEqual([['markdown', 'external-ai', 'git'], true, false]);
});

test('concurrent changes do not undo each other', async () => {
  const { patch, read } = await makeCustomizedSiteSpace();
  const changes = [
    ...[{ title: 'Own' }, { themes: { default: 'dark' } }, { themes: { toggeable: false } }],
    ...[{ styling: { theme: 'bold' } }, { styling: { depth: 'flat' } }, { styling: { links: 'accent' } }],
    ...[{ footer: { copyright: 'Own' } }, { pagination: { enabled: false } }, { favicon: { emoji: '🐙' } }],
  ];

  const responses = await Promise.all(changes.flatMap((change) => [patch(change), patch(change), patch(change)]));

  expect(new Set(responses.map(({ status }) => status))).toEqual(
    new Set([200]).union(new Set(responses.some(({ status }) => status === 503) ? [503] : [])),
  );
  const settings = await read();
  for (const [index, { status }] of responses.entries())
    if (status === 200) expect(settings).toMatchObject(changes[Math.floor(index / 3)] ?? {});
});

test('rejects the same values as for the site, and settings that are too large in total', async () => {
  const { patch, read } = await makeCustomizedSiteSpace();
  const createLink = (count: number) =>
    Array.from({ length: count }, () => ({ title: 'x', to: { kind: 'url', url: `/${'x'.repeat(2000)}` } }));

  expect((await patch({ socialPreview: { url: 'http://example.com' } })).status).toBe(400);
  expect((await patch({ header: { links: createLink(20).map((each) => ({ ...each, links: [] })) } })).status).toBe(200);
  expect((await patch({ footer: { groups: [{ title: 'x', links: createLink(20) }] } })).status).toBe(400);
  expect((await read()).footer).toEqual({ groups: [] });
});

test('returns 404 for a site space of another site, and writes nothing', async () => {
  const [mine, theirs] = [await getSite(), await getSite()];
  const path = `/site-spaces/${theirs.siteSpace}/customization`;

  expect((await mine.call(path, { method: 'PATCH', body: { title: 'Own' } })).status).toBe(404);
  expect(query('SELECT 1 FROM site_customizations WHERE site_space = ?', theirs.siteSpace)).toEqual([]);
});
