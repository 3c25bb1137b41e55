import { beforeAll, expect, test } from 'vitest';
import { makeChangeRequest } from '../../support/content.ts';
import { getAddress, operations } from '../../support/endpoints.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, getCost, insertPage, writePage } from '../space-client.ts';

let newSpace: TestSpace;
let space: SpaceClient;
let ids: Record<string, string>;

beforeAll(async () => {
  newSpace = await platform().makeSpace();
  space = getClient(platform(), newSpace);
  const [pageId = ''] = await space.change([insertPage('A page')]);
  const reusable = { operation: 'insert_reusable_content', title: 'Shared', document: { markdown: 'Shared.\n' } };
  await space.change([reusable]);
  const { id: changeRequestId } = await makeChangeRequest(newSpace);
  const head = await space.head();
  const { documentId = '' } = await space.page(pageId);
  ids = {
    spaceId: newSpace.id,
    changeRequestId,
    revisionId: head.id,
    pageId,
    pagePath: 'a-page',
    documentId,
    reusableContentId: head.reusableContents[0]?.id ?? '',
  };
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  platform().request(path, { token: newSpace.token, method, headers });

const tagged = operations.filter(({ endpoint }) => endpoint.cache !== undefined);

test('finds the reads whose response depends only on a revision', () => {
  expect(tagged.length).toBeGreaterThanOrEqual(9);
});

test.each(tagged)('$id returns an ETag, and 304 to a client that already has the content', async ({ endpoint }) => {
  const path = getAddress(endpoint, ids);
  const first = await get(path);
  const tag = first.headers.get('etag') ?? '';

  const response = await get(path, { 'if-none-match': `"other", W/${tag}` });
  const head = await get(path, { 'if-none-match': tag }, 'HEAD');
  const other = await get(path, { 'if-none-match': '"other"' });

  expect(first.status).toBe(200);
  expect(tag).toMatch(/^"rev_\w{20}\.[0-9a-f]{16}"$/);
  expect(first.headers.get('cache-control')).toBe('private, no-cache');
  for (const laterResponse of [response, head]) {
    expect(laterResponse.status).toBe(304);
    expect(await laterResponse.text()).toBe('');
    expect(laterResponse.headers.get('etag')).toBe(tag);
    expect(laterResponse.headers.get('cache-control')).toBe('private, no-cache');
    expect(getCost(laterResponse).trips).toBe(1);
  }
  expect([other.status, await other.text()]).toEqual([200, await first.text()]);
  expect((await get(path, { 'if-none-match': '*' })).status).toBe(304);
  expect((await platform().request(path, { headers: { 'if-none-match': tag } })).status).toBe(401);
  const stranger = await platform().makeUser();
  const hidden = await platform().request(path, { token: stranger.token, headers: { 'if-none-match': tag } });
  expect(hidden.status).toBe(404);
});

test('an ETag is valid only for its URL, so a missing resource returns 404', async () => {
  const base = `/v1/spaces/${newSpace.id}`;
  const tag = (await get(`${base}/content/pages`)).headers.get('etag') ?? '';
  const missing = await get(`${base}/content/path/nowhere`, { 'if-none-match': tag });

  expect(missing.status).toBe(404);
  expect(missing.headers.get('etag')).toBeNull();
  expect((await get(`${base}/content/path/nowhere`, { 'if-none-match': '*' })).status).toBe(404);
  expect((await get(`${base}/content/pages?metadata=false`, { 'if-none-match': tag })).status).toBe(200);
  expect((await get(`${base}/content/pages?metadata=perhaps`, { 'if-none-match': tag })).status).toBe(400);
});

test("changing a branch changes the branch's ETag, but not those of its revisions", async () => {
  const own = await platform().makeSpace();
  const client = getClient(platform(), own);
  const [page = ''] = await client.change([insertPage('A page')]);
  const { id: revision } = await client.head();
  const paths = [
    `/v1/spaces/${own.id}/content/page/${page}`,
    `/v1/spaces/${own.id}/revisions/${revision}/page/${page}`,
  ];
  const requestEach = (headers: Record<string, string>[]) =>
    Promise.all(paths.map((path, at) => platform().request(path, { token: own.token, headers: headers[at] ?? {} })));
  const tags = (await requestEach([])).map(({ headers }) => ({ 'if-none-match': headers.get('etag') ?? '' }));

  await client.change([writePage(page, 'Other words.\n')]);

  expect((await requestEach(tags)).map(({ status }) => status)).toEqual([200, 304]);
});

test('responses that depend on more than a revision have no ETag', async () => {
  for (const path of ['', '/content', `/revisions/${ids.revisionId}`, '/change-requests']) {
    const response = await get(`/v1/spaces/${newSpace.id}${path}`);
    expect([path, response.status, response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([
      path,
      200,
      null,
      'private, no-store',
    ]);
  }
});
