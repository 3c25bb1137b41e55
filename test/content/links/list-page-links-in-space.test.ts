import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { clientOf, insertPage } from '../space-client.ts';
import type { TestLinks } from './link-client.ts';
import { linking, makeOne, pageLinks } from './link-client.ts';

let space: SpaceClient;
beforeEach(async () => {
  space = clientOf(platform(), await platform().makeSpace());
});

test('gives the links of one page', async () => {
  const [parent = '', target] = await space.change([
    insertPage('Parent', { ref: 'p' }),
    insertPage('Target', { into: 'p' }),
    linking('Other', ['/other']),
  ]);
  const page = await makeOne(space, linking('Page', ['/parent/target#a', 'https://example.com/', '/nowhere']));
  const { items, stats } = await pageLinks(space, page);
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
  expect((await pageLinks(space, parent)).items).toEqual([]);
});

test('filters by status and is paged', async () => {
  const page = await makeOne(space, linking('Page', ['/a', 'https://example.com/', '/b']));
  const path = `/content/page/${page}/links`;
  const first = await space.ok<TestLinks>(`${path}?status=broken&limit=1`);
  expect(first.items.map(({ target }) => target)).toEqual(['/a']);
  const second = await space.ok<TestLinks>(`${path}?status=broken&limit=1&page=${first.next?.page}`);
  expect(second.items.map(({ target }) => target)).toEqual(['/b']);
  expect(second).not.toHaveProperty('next');
  expect(second.stats).toEqual({ total: 3, broken: { total: 2 } });
  expect((await space.call(`${path}?page=x`)).status).toBe(400);
});

test('of a page that is not there is not found, nor for strangers', async () => {
  expect((await space.call('/content/page/pg_none/links')).status).toBe(404);
  const page = await makeOne(space, linking('Page', ['/a']));
  const stranger = await platform().makeUser({});
  const path = `/v1/spaces/${space.space}/content/page/${page}/links`;
  expect((await platform().request(path, stranger)).status).toBe(404);
  const other = clientOf(platform(), await platform().makeSpace());
  expect((await other.call(`/content/page/${page}/links`)).status).toBe(404);
});
