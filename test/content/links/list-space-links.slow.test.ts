import { beforeEach, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import type { TestLinks } from './link-client.ts';
import { createPage, insertLinkingPage, listSpaceLinks } from './link-client.ts';

let space: SpaceClient;
let token: string;
beforeEach(async () => {
  const pageIds = await platform().makeSpace();
  token = pageIds.token;
  space = getClient(platform(), pageIds);
});

test('returns each target once, with the number of its locations', async () => {
  const target = await createPage(space, insertPage('Target', { ref: 't' }));
  const [one, two] = await space.change([
    insertLinkingPage('One', ['/pages/target', 'https://example.com/', '/nowhere']),
    insertLinkingPage('Two', [`/pages/${target}`, '/nowhere', 'https://example.com/'], { into: target }),
  ]);
  const { items, stats, count } = await listSpaceLinks(space);
  expect(stats).toEqual({ total: 3, broken: { total: 1 } });
  expect(count).toBe(3);
  expect(items.map((item) => [item.target, item.status, item.relation])).toEqual([
    ['/pages/target', 'ok', 'reference'],
    ['https://example.com/', 'ok', 'reference'],
    ['/nowhere', 'broken', 'reference'],
  ]);
  for (const item of items) expect(item.locationReferences.map(({ page }) => page?.id)).toEqual([one, two]);
  const head = await space.head();
  expect(items[0]?.targetReference).toMatchObject({
    kind: 'page',
    space: { object: 'space', id: space.space },
    organization: { object: 'organization' },
    versionContext: { type: 'revision', revision: { object: 'revision', id: head.id, parents: head.parents } },
    page: { id: target, title: 'Target', path: 'target', pages: [] },
  });
  expect(items[0]?.locationReferences[1]?.page).toMatchObject({ path: 'target/two' });
  expect(items[0]?.locationReferences[1]?.page).not.toHaveProperty('markdown');
  expect(items[1]?.targetReference).toEqual({ kind: 'url', url: 'https://example.com/' });
  expect(items[2]).not.toHaveProperty('targetReference');
});

test('filters by status, and still counts all statuses', async () => {
  await space.change([insertLinkingPage('One', ['https://example.com/', '/nowhere', '/nothing'])]);
  const { items, stats } = await listSpaceLinks(space, '&status=broken');
  expect(items.map(({ target }) => target)).toEqual(['/nowhere', '/nothing']);
  expect(stats).toEqual({ total: 3, broken: { total: 2 } });
  expect((await listSpaceLinks(space, '&status=in-app')).items).toEqual([]);
  expect((await space.call('/links?status=fine')).status).toBe(400);
});

test('includes links of documents, link pages and reusable content', async () => {
  const target = await createPage(space, insertPage('Target'));
  await space.change([
    { operation: 'insert_reusable_content', title: 'Text', document: { markdown: '[a](/target)' }, ref: 'text' },
    { operation: 'insert_page', title: 'P', document: { markdown: '{% include "./text.md" %}' } },
    { operation: 'insert_link', title: 'To target', target: { kind: 'page', page: target } },
    { operation: 'insert_link', title: 'To a place', target: { kind: 'anchor', anchor: 'part', page: target } },
    { operation: 'insert_link', title: 'Gone', target: { kind: 'page', page: 'pg_none' } },
    { operation: 'insert_link', title: 'Out', target: { kind: 'url', url: 'https://example.com/x' } },
  ]);
  const { items } = await listSpaceLinks(space);
  expect(
    items.map(({ status, relation, targetReference, locationReferences }) => [
      status,
      relation,
      targetReference?.kind,
      locationReferences.map(({ kind }) => kind),
    ]),
  ).toEqual([
    ['ok', 'dependsOn', 'reusable-content', ['page']],
    ['ok', 'reference', 'page', ['page', 'reusable-content']],
    ['broken', 'reference', 'page', ['page']],
    ['broken', 'reference', undefined, ['page']],
    ['ok', 'reference', 'url', ['page']],
  ]);
});

test('two texts that include each other are two links', async () => {
  const include = (ref: string) => ({ markdown: `{% include "./${ref}" %}` });
  await space.change([
    { operation: 'insert_reusable_content', title: 'A', document: include('b'), ref: 'a' },
    { operation: 'insert_reusable_content', title: 'B', document: include('a'), ref: 'b' },
  ]);
  expect((await listSpaceLinks(space)).items.map(({ relation }) => relation)).toEqual(['dependsOn', 'dependsOn']);
});

test('paginates the list', async () => {
  await space.change([insertLinkingPage('One', ['/a', '/b', '/c', '/d'])]);
  const path = `/v1/spaces/${space.space}/links`;
  const readPage = async (more: string) => json<TestLinks>(`${path}?${more}`, { token });
  const first = await readPage('limit=3');
  expect(first.items.map(({ target }) => target)).toEqual(['/a', '/b', '/c']);
  const second = await readPage(`limit=3&page=${first.next?.page}`);
  expect(second.items.map(({ target }) => target)).toEqual(['/d']);
  expect(second).not.toHaveProperty('next');
  expect(second.stats).toEqual(first.stats);
  expect((await space.call('/links?page=x')).status).toBe(400);
  expect((await space.call('/links?limit=1001')).status).toBe(400);
});

test('reads the first two thousand links of a page with ten thousand', async () => {
  const markdown = Array.from({ length: 10_000 }, (_, index) => `[a](/p/${index})`).join(' ');
  const page = await createPage(space, insertPage('Many'));
  await space.change([writePage(page, markdown)]);
  expect((await listSpaceLinks(space)).stats).toEqual({ total: 2_000, broken: { total: 2_000 } });
});

test('returns the first five locations of a target, and counts all', async () => {
  const pageIds = await space.change(
    Array.from({ length: 40 }, (_, index) => insertLinkingPage(`P ${index}`, ['https://x.test/', '/nowhere'])),
  );
  const { items } = await listSpaceLinks(space);

  expect(items.map(({ locations }) => locations)).toEqual([40, 40]);
  for (const { locationReferences } of items)
    expect(locationReferences.map(({ page }) => page?.id)).toEqual(pageIds.slice(0, 5));
});

test('limits a page of the list to a thousand locations', async () => {
  const createTargets = (from: number) => Array.from({ length: 300 }, (_, index) => `/nowhere/${from + index}`);
  await space.change(Array.from({ length: 5 }, (_, index) => insertLinkingPage(`P ${index}`, createTargets(0))));
  const first = await space.callJson<TestLinks>('/links?limit=1000');
  const second = await space.callJson<TestLinks>(`/links?limit=1000&page=${first.next?.page}`);

  expect([first.count, second.count, second.next]).toEqual([200, 100, undefined]);
  expect([...first.items, ...second.items].map(({ target }) => target)).toEqual(createTargets(0));
});

describe('links into other spaces', () => {
  test('name the space only to users who can view it', async () => {
    const { makeOrganization, makeSpace, makeUser } = platform();
    const organization = await makeOrganization();
    const [from, hidden, seen] = [
      await makeSpace({ organization }),
      await makeSpace({ organization }),
      await makeSpace({ organization }),
    ];
    const foreign = await makeSpace({ organization: await makeOrganization() });
    await json(`/v1/spaces/${hidden.id}`, {
      token: organization.token,
      method: 'PATCH',
      body: { defaultLevel: 'none' },
    });
    const admin = getClient(platform(), from);
    const home = await json<{ urls: { app: string } }>(`/v1/spaces/${from.id}`, { token: from.token });
    const getAppUrl = (id: string) => `${home.urls.app.replace(from.id, id)}/content/page/pg_1`;
    const ids = [hidden.id, seen.id, foreign.id, 'spc_none'];
    await admin.change([
      insertLinkingPage('P', ids.map(getAppUrl)),
      ...ids.map((id) => ({ operation: 'insert_link', title: id, target: { kind: 'space', space: id } })),
    ]);
    const reader = await makeUser({ organization: organization.id, role: 'read' });
    const listNames = async (user: { token: string }) =>
      (await listSpaceLinks(getClient(platform(), { id: from.id, token: user.token }))).items.map((item) => {
        expect(item.status).toBe('in-app');
        return item.targetReference?.space?.id;
      });
    const [all, some] = [
      [hidden.id, seen.id, undefined, undefined],
      [undefined, seen.id, undefined, undefined],
    ];
    expect(await listNames(organization)).toEqual([...all, ...all]);
    expect(await listNames(reader)).toEqual([...some, ...some]);
  });
});

test('requires view access to the space', async () => {
  const path = `/v1/spaces/${space.space}/links`;
  const stranger = await platform().makeUser({});
  expect((await platform().request(path, stranger)).status).toBe(404);
  expect((await platform().request(path)).status).toBe(401);
});
