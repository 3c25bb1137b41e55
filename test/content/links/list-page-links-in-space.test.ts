import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { createFiles, createPixel } from '../files/file-client.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import type { TestLinks } from './link-client.ts';
import { createPage, getTargetsByText, insertLinkingPage, listPageLinks } from './link-client.ts';

let space: SpaceClient;
beforeEach(async () => {
  space = getClient(platform(), await platform().makeSpace());
});

test('returns the links of one page', async () => {
  const [parent = '', target] = await space.change([
    insertPage('Parent', { ref: 'p' }),
    insertPage('Target', { into: 'p', document: { markdown: '## A\n' } }),
    insertLinkingPage('Other', ['/other']),
  ]);
  const page = await createPage(
    space,
    insertLinkingPage('Page', ['/parent/target#a', 'https://example.com/', '/nowhere']),
  );
  const { items, stats } = await listPageLinks(space, page);
  expect(stats).toEqual({ total: 3, broken: { total: 1 } });
  expect(items.map(({ status }) => status)).toEqual(['ok', 'ok', 'broken']);
  expect(items[0]?.targetReference).toMatchObject({
    kind: 'page',
    page: { id: target, path: 'parent/target' },
    internalLocation: { type: 'anchor', anchor: 'a' },
  });
  for (const { locationReferences } of items) {
    expect(locationReferences).toMatchObject([{ kind: 'page', page: { id: page, path: 'page' } }]);
  }
  expect((await listPageLinks(space, parent)).items).toEqual([]);
});

test('filters by status and pages', async () => {
  const page = await createPage(space, insertLinkingPage('Page', ['/a', 'https://example.com/', '/b']));
  const path = `/content/page/${page}/links`;
  const first = await space.callJson<TestLinks>(`${path}?status=broken&limit=1`);
  expect(first.items.map(({ target }) => target)).toEqual(['/a']);
  const second = await space.callJson<TestLinks>(`${path}?status=broken&limit=1&page=${first.next?.page}`);
  expect(second.items.map(({ target }) => target)).toEqual(['/b']);
  expect(second).not.toHaveProperty('next');
  expect(second.stats).toEqual({ total: 3, broken: { total: 2 } });
  expect((await space.call(`${path}?page=x`)).status).toBe(400);
});

test('returns 404 for a missing page, and to users without access', async () => {
  expect((await space.call('/content/page/pg_none/links')).status).toBe(404);
  const page = await createPage(space, insertLinkingPage('Page', ['/a']));
  const stranger = await platform().makeUser({});
  const path = `/v1/spaces/${space.space}/content/page/${page}/links`;
  expect((await platform().request(path, stranger)).status).toBe(404);
  const other = getClient(platform(), await platform().makeSpace());
  expect((await other.call(`/content/page/${page}/links`)).status).toBe(404);
});

test('prefers the recorded target of a link to later content at its path, while the target exists', async () => {
  const read = (page: string) => space.callJson<{ git: object; links: object }>(`/content/page/${page}`);
  const insertPageAt = (path: string) => insertPage(path, { git: { path } });
  const told = {
    '/img/a.png': 'static/img/a.png',
    '/guide': 'docs/guide.mdx',
    'https://docs.example.com/api/': 'docs/api.md',
    'own.md': 'docs/other.md',
    gone: 'docs/gone.md',
  };
  const targets = ['/img/a.png', '/guide#b', 'https://docs.example.com/api/#c', 'own.md', 'gone'];
  const [own, api, page = ''] = await space.change([
    insertPageAt('docs/own.md'),
    insertPageAt('docs/api.md'),
    insertLinkingPage('L', targets, { git: { path: 'docs/l.md', links: told } }),
  ]);
  expect((await read(page)).links).toEqual({ 'https://docs.example.com/api/': api, 'own.md': own });
  const [image] = await createFiles(space, [createPixel('a.png', { git: { path: 'static/img/a.png' } })]);
  const [guide, other] = await space.change([insertPageAt('docs/guide.mdx'), insertPageAt('docs/other.md')]);
  const meant = {
    '/img/a.png': image?.id,
    '/guide#b': `${guide}#b`,
    'https://docs.example.com/api/#c': `${api}#c`,
    gone: 'broken',
  };
  expect(getTargetsByText(await listPageLinks(space, page))).toEqual({ ...meant, 'own.md': own });

  expect((await read(page)).git).toMatchObject({ path: 'docs/l.md', links: told, linksId: expect.any(String) });
  const written = { operation: 'update_page', page, document: { markdown: '[x](own.md) [x](/guide#b)\n' } };
  await space.change([written, { operation: 'update_page', page: guide, title: 'New', slug: 'new', into: api }]);
  expect((await read(page)).links).toEqual({ 'own.md': other, '/guide': guide });
  await space.change([{ ...written, git: { path: 'docs/l.md' } }]);
  expect((await read(page)).links).toEqual({ 'own.md': own, '/guide': guide });
  expect((await read(page)).git).not.toHaveProperty('links');
});
