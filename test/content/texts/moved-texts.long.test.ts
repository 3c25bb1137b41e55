import { isDeepStrictEqual } from 'node:util';
import { foreverSeq } from '@octavo/db';
import type { Site } from '@octavo/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { readLogLines } from '../../support/log.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { beginDay, waitForAllJobs } from '../retention/trash.ts';
import { type ApiFailure, getClient, insertPage, type SpaceClient, writePage } from '../space-client.ts';
import { createLongText, moveAllTexts, moveTexts, readMoved } from './moving.ts';

let server: OwnPlatform;
let organization: TestOrganization;
let space: TestSpace;
let client: SpaceClient;
let site: string;
let [first, second, shared]: (string | undefined)[] = [];
let open: string;
let conflicting: string;

const write = (page = '', text = '', branch?: string) => client.change([writePage(page, createLongText(text))], branch);

beforeAll(async () => {
  server = await startOwnPlatform();
  organization = await server.makeOrganization();
  space = await server.makeSpace({ organization });
  client = getClient(server, space);
  const content = await client.callJson<{ changes: { reusableContent?: string }[] }>('/content?compat=false', {
    method: 'POST',
    body: {
      changes: [
        { operation: 'insert_reusable_content', title: 'Shared', document: { markdown: createLongText('shared') } },
      ],
    },
  });
  shared = content.changes[0]?.reusableContent;
  [first, second] = await client.change([
    insertPage('First', { document: { markdown: createLongText('\u{feff}oldest 😀 words') } }),
    insertPage('Second', {
      document: {
        markdown: `{% include "/reusable-contents/${shared}" %}\n\n[First](first.md)\n\n${createLongText('second')}`,
      },
    }),
  ]);
  await write(first, 'older words');
  conflicting = await client.open();
  await write(first, 'incoming words', conflicting);
  open = await client.open();
  await write(second, 'proposed words', open);
  await write(first, 'newest words');
  const sites = `/v1/orgs/${organization.id}/sites`;
  const { id } = await post<Site>(sites, { title: 'Docs', spaces: [space.id], visibility: 'public' });
  site = (await post<Site>(`${sites}/${id}/publish`)).urls.published ?? '';
  await waitForAllJobs(server);
});
afterAll(() => server?.remove());

const post = <Body>(path: string, body?: object) =>
  json<Body>(path, { token: organization.token, method: 'POST', ...(body && { body }) }, server);

/** Returns paths for every kind of read, including reads of former revisions and of change requests. */
function listPaths(): string[] {
  const list = (sql: string) =>
    queryDatabase<{ id: string }>(server.dataDir, sql, space.id, foreverSeq).map(({ id }) => id);
  const revisions = list('SELECT id FROM revisions WHERE branch = ? AND seq BETWEEN 3 AND ? ORDER BY seq');
  const documents = list('SELECT document AS id FROM versions WHERE branch = ? AND until = ? AND document IS NOT NULL');
  const requests = [open, conflicting].map((id) => `/change-requests/${id}`);
  const former = revisions.map((id) => `/revisions/${id}`);
  return [
    ...['/content', ...former, ...requests.map((request) => `${request}/content`)].flatMap((point) =>
      [first, second].flatMap((page) => [`${point}/page/${page}`, `${point}/page/${page}?format=document`]),
    ),
    ...former.flatMap((point) => [`${point}/page/${first}/document`, `${point}/changes`]),
    ...requests.map((request) => `${request}/changes`),
    ...documents.map((hash) => `/documents/${hash}`),
    ...[`/content/reusable-contents/${shared}`, '/search?query=newest%20words'],
  ].map((path) => `/v1/spaces/${space.id}${path}`);
}

/** Returns the response to each read, without times and costs. The server has nothing in its caches. */
async function readAll(paths: string[]): Promise<Map<string, [number, string]>> {
  await server.kill('SIGTERM');
  await server.restart();
  const responses = new Map<string, [number, string]>();
  for (const path of [...paths, ...['', 'second', 'first.md', 'llms-full.txt'].map((each) => `${site}${each}`)]) {
    const response = await server.request(path, path.startsWith('/') ? { token: space.token } : {});
    responses.set(path, [response.status, (await response.text()).replace(/req_\w+/g, '')]);
  }
  return responses;
}

test('all reads return the same before and after all texts were moved, and after those in use were moved back', async () => {
  const paths = listPaths();
  const before = await readAll(paths);
  expect([...before.values()].filter(([status]) => status !== 200)).toEqual([]);
  const findDifferences = async () =>
    [...(await readAll(paths))].filter(([path, response]) => !isDeepStrictEqual(response, before.get(path)));
  const texts = queryDatabase<{ count: number }>(
    server.dataDir,
    'SELECT COUNT(*) AS count FROM documents WHERE bytes >= 1000',
  );

  await moveAllTexts(server);
  expect(readMoved(server).size).toBe(texts[0]?.count);
  expect(await findDifferences()).toEqual([]);

  await moveTexts(server, 0);
  expect(readMoved(server).size).toBe(1);
  expect(await findDifferences()).toEqual([]);
}, 180_000);

test('texts stay in the database while live content, an open change request or a copy uses them, and for some days', async () => {
  const source = await server.makeSpace({ organization });
  const { change, open: openRequest, callJson, merge } = getClient(server, source);
  const writeEach = async (pages: string[], words: string, branch?: string) => {
    for (const page of pages) await change([writePage(page, createLongText(`${words} of ${page}`))], branch);
  };
  const getHashes = async (point: string, pages: string[]) =>
    Promise.all(
      pages.map(async (page) => (await callJson<{ documentId: string }>(`${point}/page/${page}`)).documentId),
    );
  const [untouchedPage = '', copied = '', former = '', merged = ''] = await change(
    ['Kept', 'Copied', 'Former', 'Merged'].map((title) =>
      insertPage(title, { document: { markdown: createLongText(title) } }),
    ),
  );
  const base = await getHashes('/content', [untouchedPage, copied, former, merged]);
  const unedited = await openRequest();
  await callJson('/duplicate', { method: 'POST' });
  await writeEach([untouchedPage, copied, former, merged], 'between');
  const between = await getHashes('/content', [untouchedPage, copied, former, merged]);
  const done = await openRequest();
  await writeEach([merged], 'draft', done);
  const draft = await getHashes(`/change-requests/${done}/content`, [merged]);
  await writeEach([merged], 'merged', done);
  expect((await merge(done)).body.result).toBe('merge');
  const edited = await openRequest();
  await writeEach([former], 'proposed', edited);
  const proposed = await getHashes(`/change-requests/${edited}/content`, [former]);
  await writeEach([untouchedPage, copied, former], 'newest');
  await waitForAllJobs(server);
  const ofSource = [
    ...base,
    ...between,
    ...draft,
    ...proposed,
    ...(await getHashes('/content', [untouchedPage, copied, former, merged])),
  ];
  const findMoved = () => ofSource.filter((hash) => readMoved(server).has(hash));

  await moveTexts(server, 1);
  expect(findMoved()).toEqual([]);

  // `unedited` and the copy use the texts in `base`, and `edited` those in `between` except the text of the merged
  // page.
  await moveTexts(server, 0);
  expect(findMoved()).toEqual([between[3], ...draft]);

  await json(`/v1/spaces/${source.id}/change-requests/${unedited}`, archive(source), server);
  await json(`/v1/spaces/${source.id}/change-requests/${edited}`, archive(source), server);
  await moveTexts(server, 0);
  expect(findMoved()).toEqual([...between, ...draft, ...proposed]);
});

const archive = ({ token }: TestSpace) => ({ token, method: 'PATCH', body: { status: 'archived' } });

test('texts with expressions, which sites search, and short texts stay in the database', async () => {
  const { change } = getClient(server, await server.makeSpace({ organization }));
  const expression = createLongText('{{ visitor.claims.name }}');
  const [page = ''] = await change([insertPage('Page', { document: { markdown: expression } })]);
  for (const markdown of ['Short.\n', createLongText('with expressions'), createLongText('last')])
    await change([writePage(page, markdown)]);
  const countStored = (text: string) =>
    queryDatabase<{ type: string }>(
      server.dataDir,
      'SELECT typeof(markdown) AS type FROM documents WHERE bytes = ? AND typeof(markdown) = ? AND markdown = ?',
      ...[Buffer.byteLength(text), 'text', text],
    ).length;

  await moveTexts(server, 0);

  expect([expression, 'Short.\n', createLongText('with expressions'), createLongText('last')].map(countStored)).toEqual(
    [1, 1, 0, 1],
  );
});

test('a moved text can be restored, merged and written again, and then moves back', async () => {
  const {
    change,
    edit,
    open: openRequest,
    merge,
    page: read,
    callJson,
  } = getClient(server, await server.makeSpace({ organization }));
  const versions = ['one', 'two', 'three'].map((words) => createLongText(`restored ${words}`));
  const [page = ''] = await change([insertPage('Page', { document: { markdown: versions[0] } })]);
  const { id: former } = await callJson<{ id: string }>('/content');
  const branch = await openRequest();
  for (const markdown of versions.slice(1)) await change([writePage(page, markdown)]);
  await change([writePage(page, `${versions[0]}\nAdded at the end.\n`)], branch);
  await waitForAllJobs(server);
  await moveAllTexts(server);
  const moved = readMoved(server).size;

  expect((await merge(branch)).body).toMatchObject({ result: 'merge' });
  expect((await read(page)).markdown).toBe(`${versions[2]}\nAdded at the end.\n`);
  await change([writePage(page, versions[1] ?? '')]);
  expect(readMoved(server).size).toBe(moved - 1);
  expect((await edit([{ operation: 'revert_page', page, revision: former }])).status).toBe(200);
  expect((await read(page)).markdown).toBe(versions[0]);
  await waitForAllJobs(server);
  const { items } = await callJson<{ items: { sections: { body: string }[] }[] }>('/search?query=restored%20one');
  expect(items[0]?.sections[0]?.body).toContain('restored one');

  const { documentId } = await callJson<{ documentId: string }>(`/content/page/${page}`);
  expect(readMoved(server).has(documentId)).toBe(true);
  await moveTexts(server, 0);
  expect(readMoved(server).has(documentId)).toBe(false);
  expect((await read(page)).markdown).toBe(versions[0]);
});

test('reads of content in use cost the same after unused texts were moved', async () => {
  const paths = [
    `/content/page/${first}`,
    `/content/page/${second}`,
    `/change-requests/${open}/content/page/${second}`,
  ];
  const measure = async () => {
    const costs = [];
    for (const path of paths) costs.push((await client.call(path)).cost);
    return costs;
  };
  const before = await measure();

  await moveTexts(server, 0);

  expect(readMoved(server).size).toBeGreaterThan(1);
  expect(await measure()).toEqual(before);
});

test('if an object is missing, only reads of its text fail, and the log reports it', async () => {
  const { change, call, callJson } = getClient(server, await server.makeSpace({ organization }));
  const [page = ''] = await change([insertPage('Page', { document: { markdown: createLongText('missing') } })]);
  const { id: revision } = await callJson<{ id: string }>('/content');
  await change([writePage(page, createLongText('present'))]);
  await waitForAllJobs(server);
  await moveTexts(server, 0);
  const { documentId = '' } = await callJson<{ documentId?: string }>(`/revisions/${revision}/page/${page}`);
  const object = readMoved(server).get(documentId) ?? '';
  await writeDatabase(server, 'INSERT INTO unused_texts (object, delete_at) VALUES (?, 0)', object);
  await beginDay(server);
  await server.kill('SIGTERM');
  await server.restart();

  const failed = await call<ApiFailure>(`/revisions/${revision}/page/${page}`);

  expect([failed.status, failed.body.error.type]).toEqual([503, 'unavailable']);
  const line = await until(() => readLogLines<object>(server.dataDir, 'text of a document not read')[0]);
  expect(line).toMatchObject({ level: 'error', object, cause: 'Error: The object does not exist.' });
  expect((await call(`/content/page/${page}`)).status).toBe(200);
  await change([writePage(page, createLongText('missing'))]);
  expect((await call(`/revisions/${revision}/page/${page}`)).status).toBe(200);
});

test('a step that moves no text reads at most eight rows for each document', async () => {
  const { change } = getClient(server, await server.makeSpace({ organization }));
  const pages = Array.from({ length: 50 }, (_, index) => createLongText(`kept ${index}`));
  for (let round = 0; round < 4; round += 1)
    await change(pages.map((text) => insertPage('Page', { document: { markdown: `${text}${round}\n` } })));
  await waitForAllJobs(server);
  await moveTexts(server, 0);
  const readSteps = () => readLogLines<{ rowsRead: number }>(server.dataDir, '"type":"move_texts"');
  const steps = readSteps().length;

  await moveTexts(server, 0);

  const step = await until(() => readSteps()[steps]);
  const documents = queryDatabase(server.dataDir, 'SELECT hash FROM documents').length;
  expect(step.rowsRead / documents).toBeLessThan(8);
});

test('a moved text takes at most 300 bytes in the table of documents', async () => {
  const readSize = () =>
    queryDatabase<{ size: number }>(
      server.dataDir,
      "SELECT SUM(pgsize) AS size FROM dbstat WHERE name = 'documents'",
    )[0]?.size ?? 0;
  const [count, before] = [300, readSize()];
  await writeDatabase(
    server,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO documents (hash, markdown, bytes, anchors)
     SELECT lower(hex(randomblob(32))), ?, 4096, char(10) || 'an-anchor' || char(10) FROM n`,
    ...[count, 'a word '.repeat(586)],
  );
  const stored = (readSize() - before) / count;

  await moveTexts(server, 0);

  expect(stored).toBeGreaterThan(4096);
  expect((readSize() - before) / count).toBeLessThan(300);
});
