import { afterAll, beforeAll, expect, test } from 'vitest';
import { getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { json } from '../../support/content.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { readIndexedIds, readSearchTexts } from '../../support/search-index.ts';
import { createLibrary, createOperation, insertComputed } from '../computed/reference-space.ts';
import { createFiles, createPixel, createTextFile } from '../files/file-client.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import {
  advanceOneDay,
  ageFiles,
  getObjects,
  getRows,
  queueJob,
  readAllContent,
  setDeletedDaysAgo,
  waitForAllJobs,
  waitForObjects,
} from './trash.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server?.remove());

/** Makes a comment with a reply, reactions on both, and a resolved comment. */
async function discuss(space: SpaceClient, branch = ''): Promise<void> {
  const post = (path: string) =>
    space.callJson<{ id: string }>(branch + path, { body: { body: { markdown: 'Hello' } } });
  const { id } = await post('/comments');
  const reply = await post(`/comments/${id}/replies`);
  const react = { method: 'PUT', body: { addedReactions: ['1f44d'] } };
  for (const each of ['', `/replies/${reply.id}`]) await space.callJson(`${branch}/comments/${id}${each}`, react);
  const { id: closed } = await post('/comments');
  await space.callJson(`${branch}/comments/${closed}`, { method: 'PUT', body: { resolved: true } });
}

/** Makes two reviews, one with a comment, and a request for a review. */
async function review(space: SpaceClient, branch: string): Promise<void> {
  const reviewed = await space.callJson<{ reviewer: { id: string } }>(`${branch}/reviews`, {
    body: { status: 'approved' },
  });
  const comment = { markdown: 'Not yet' };
  await space.callJson(`${branch}/reviews`, { body: { status: 'changes-requested', comment } });
  await space.callJson(`${branch}/requested-reviewers`, { body: { users: [reviewed.reviewer.id] } });
}

/**
 * Fills a space with every kind of content: edited and deleted pages, files, a merged and an open change request,
 * comments and reviews.
 */
async function fillSpace(space: SpaceClient): Promise<string[]> {
  const [first = '', second = ''] = await space.change([insertPage('First'), insertPage('Second')]);
  await space.change([writePage(first, 'First, and again\n'), { operation: 'delete_page', page: second }]);
  const files = await createFiles(space, [createPixel('a.png'), createTextFile('a.txt', `of ${space.space}`)]);
  const merged = await space.open();
  await space.change([writePage(first, 'First, merged\n'), insertPage('Third')], merged);
  await createFiles(space, [createTextFile('b.txt', `b of ${space.space}`)], merged);
  await space.merge(merged);
  const open = await space.open();
  await space.change([insertPage('Never merged')], open);
  await createFiles(space, [createTextFile('c.txt', `c of ${space.space}`)], open);
  for (const branch of ['', `/change-requests/${merged}`, `/change-requests/${open}`]) await discuss(space, branch);
  await review(space, `/change-requests/${open}`);
  return files.map(({ downloadURL }) => downloadURL);
}

async function createFullSpace(organization: TestOrganization) {
  const space = await server.makeSpace({ organization });
  const client = getClient(server, space);
  const files = await fillSpace(client);
  await waitForAllJobs(server);
  await writeDatabase(
    server,
    'INSERT INTO grants (object, subject, organization, role) VALUES (?, ?, ?, ?)',
    space.id,
    organization.user,
    organization.id,
    'edit',
  );
  return { ...space, client, files };
}

const restore = ({ id, token }: TestSpace) => server.request(`/v1/spaces/${id}/restore`, { token, method: 'POST' });

const countRows = ({ id }: TestSpace, table: string) =>
  queryDatabase(server.dataDir, `SELECT * FROM ${table} WHERE space = ?`, id).length;

test('purges a space deleted 8 days ago completely, but nothing of a space deleted 6 days ago', async () => {
  const organization = await server.makeOrganization();
  const before = getRows(server);
  const young = await createFullSpace(organization);
  const rowsBefore = getRows(server);
  const keptObjects = getObjects(server);
  const keptContent = readAllContent(server);
  const old = await createFullSpace(organization);
  await waitForObjects(server, keptObjects + 3);
  expect(Object.entries(getRows(server)).filter(([table, rows]) => rows > (before[table] ?? 0)).length).toBeGreaterThan(
    8,
  );
  await ageFiles(server, 2);
  for (const { id, token } of [young, old]) {
    expect((await server.request(`/v1/spaces/${id}`, { token, method: 'DELETE' })).status).toBe(205);
  }
  await setDeletedDaysAgo(server, young.id, 6);
  await setDeletedDaysAgo(server, old.id, 8);
  expect((await restore(old)).status).toBe(404);

  await advanceOneDay(server);

  expect(getRows(server)).toEqual(rowsBefore);
  await waitForObjects(server, keptObjects);
  expect((await server.request(`/v1/spaces/${old.id}`, { token: old.token })).status).toBe(404);
  expect((await restore(old)).status).toBe(404);
  const events = queryDatabase(
    server.dataDir,
    "SELECT 1 FROM outbox WHERE type = 'space.purged' AND space = ?",
    old.id,
  );
  expect(events).toHaveLength(1);

  expect((await restore(young)).status).toBe(200);
  expect(readAllContent(server)).toEqual(keptContent);
  expect((await young.client.pages()).map(({ title }) => title)).toEqual(['First', 'Third']);
  for (const address of young.files) expect((await fetch(address)).status).toBe(200);
});

test('deletes a file uploaded within the last hour a day later', async () => {
  const organization = await server.makeOrganization();
  const space = await createFullSpace(organization);
  const [objects, rows] = [getObjects(server), getRows(server)];
  await setDeletedDaysAgo(server, space.id, 8);
  await advanceOneDay(server);
  await waitForObjects(server, objects);
  expect(getRows(server).blobs).toBe(rows.blobs);
  expect(getRows(server).versions).toBeLessThan(rows.versions ?? 0);

  await ageFiles(server, 25);
  await advanceOneDay(server);

  await waitForObjects(server, objects - 4);
  expect(getRows(server).blobs).toBe((rows.blobs ?? 0) - 4);
});

test('keeps texts and bytes that another live space of the organization also uses', async () => {
  const organization = await server.makeOrganization();
  const [gone, stays] = [await createFullSpace(organization), await server.makeSpace({ organization })];
  const client = getClient(server, stays);
  const [page = ''] = await client.change([insertPage('First')]);
  const [file] = await createFiles(client, [createTextFile('same.txt', `of ${gone.id}`)]);
  await ageFiles(server, 2);
  await setDeletedDaysAgo(server, gone.id, 8);

  await advanceOneDay(server);

  const { markdown } = await client.callJson<{ markdown: string }>(`/content/page/${page}?format=markdown`);
  expect(markdown).toBe('First\n');
  expect(await (await fetch(file?.downloadURL ?? '')).text()).toBe(`of ${gone.id}`);
});

test('purges deleted collections level by level once they are empty', async () => {
  const organization = await server.makeOrganization();
  const { token } = organization;
  const make = (title: string, parent?: string) =>
    json<{ id: string }>(`/v1/orgs/${organization.id}/collections`, { token, body: { title, parent } }, server);
  const outer = await make('Outer');
  const inner = await make('Inner', outer.id);
  const remainingSpace = await make('Kept');
  const { id } = await json<TestSpace>(
    `/v1/orgs/${organization.id}/spaces`,
    { token, body: { title: 'In', parent: inner.id } },
    server,
  );
  await server.request(`/v1/collections/${outer.id}`, { token, method: 'DELETE' });
  const listCollections = () =>
    queryDatabase<{ id: string }>(server.dataDir, 'SELECT id FROM collections WHERE organization = ?', organization.id)
      .map((row) => row.id)
      .toSorted();

  await advanceOneDay(server);
  expect(listCollections()).toEqual([outer.id, inner.id, remainingSpace.id].toSorted());
  await setDeletedDaysAgo(server, id, 8);
  await advanceOneDay(server);
  expect(listCollections()).toEqual([remainingSpace.id]);
});

test('a purge job for a space that is not being purged deletes nothing', async () => {
  const organization = await server.makeOrganization();
  const live = await createFullSpace(organization);
  const trashed = await createFullSpace(organization);
  await setDeletedDaysAgo(server, trashed.id, 6);
  const before = getRows(server);
  for (const { id } of [live, trashed]) {
    for (const stage of ['imports', 'branches', 'change_requests', 'search', 'versions', 'revisions', 'space']) {
      await queueJob(server, id, { type: 'purge_space', data: { stage } });
    }
  }

  await waitForAllJobs(server);

  expect(getRows(server)).toEqual(before);
});

test('a space that is being purged cannot be restored, even within 7 days', async () => {
  const space = await server.makeSpace();
  await setDeletedDaysAgo(server, space.id, 1);
  const mark = 'UPDATE spaces SET purging_at = ? WHERE id = ?';
  await writeDatabase(server, mark, Date.now(), space.id);
  expect((await restore(space)).status).toBe(404);

  await writeDatabase(server, mark, null, space.id);
  expect((await restore(space)).status).toBe(200);
});

test('two concurrent purge runs purge a space once', async () => {
  const organization = await server.makeOrganization();
  const space = await createFullSpace(organization);
  await setDeletedDaysAgo(server, space.id, 8);

  await Promise.all([advanceOneDay(server), advanceOneDay(server), advanceOneDay(server)]);

  expect(
    ['revisions', 'change_requests', 'space_counters', 'comments', 'contributors'].map((table) =>
      countRows(space, table),
    ),
  ).toEqual([0, 0, 0, 0, 0]);
  expect(readIndexedIds(server, space.id)).toEqual([]);
  const events = await until(() => {
    const tasks = queryDatabase<{ type: string; data: string }>(
      server.dataDir,
      "SELECT type, data FROM outbox WHERE space = ? AND type IN ('purge_space', 'space.purged') ORDER BY created_at",
      space.id,
    );
    return tasks.some(({ type }) => type === 'space.purged') ? tasks : undefined;
  });
  expect(events.filter(({ type }) => type === 'space.purged')).toHaveLength(1);
  expect(events.filter(({ data }) => data.includes('branches'))).toHaveLength(1);
});

const createParagraphs = (word: string) =>
  Array.from({ length: 800 }, (_, index) => `${word}${index} of it`).join('\n\n');

test('a purge leaves no text of the space in any search index', async () => {
  const [from, organization] = [await server.makeOrganization(), await server.makeOrganization()];
  await writeDatabase(
    server,
    "INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, 'admin', 1)",
    ...[organization.id, from.user],
  );
  const [moved, stays] = [await server.makeSpace({ organization: from }), await server.makeSpace({ organization })];
  await getClient(server, await server.makeSpace({ organization: from })).change([insertPage('Puffin')]);
  const specs = getSpecs(server, organization);
  await specs.publish(
    'library',
    getText(createLibrary({ tags: [], paths: { '/x': { get: createOperation([], 'Wombat') } } })),
  );
  await getClient(server, stays).change([insertPage('Otter')]);
  const client = getClient(server, moved);
  const [page = '', deleted = ''] = await client.change([
    insertPage('Walrus'),
    insertPage('Badger'),
    // More than fits into one row, so that the segment has rows of its own.
    { operation: 'insert_page', title: 'Long', document: { markdown: createParagraphs('ocelot') } },
  ]);
  await waitForAllJobs(server);
  const transfer = { token: from.token, body: { organization: organization.id } };
  expect((await server.request(`/v1/spaces/${moved.id}/transfer`, transfer)).status).toBe(200);
  await client.change([writePage(page, 'Ferret\n'), { operation: 'delete_page', page: deleted }]);
  await client.change([insertComputed('library')]);
  await waitForAllJobs(server);
  const words = ['walrus', 'badger', 'ocelot799', 'ferret', 'wombat', 'puffin', 'otter'];
  const find = () => {
    const texts = readSearchTexts(server).toLowerCase();
    return words.filter((word) => texts.includes(word));
  };
  expect(find()).toEqual(words);

  await ageFiles(server, 2);
  await setDeletedDaysAgo(server, moved.id, 8);
  await advanceOneDay(server);

  expect(find()).toEqual(['puffin', 'otter']);
});
