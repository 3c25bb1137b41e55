import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { deleteIndexes, readIndexedIds } from '../../support/search-index.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { getLifecycles } from '../spaces/space-life.ts';
import { insertLargeSpace } from './large-space.ts';
import { advanceOneDay, ageFiles, getRows, queueJob, setDeletedDaysAgo, waitForAllJobs } from './trash.ts';

// Tests late, duplicate and concurrent jobs. None of them may restore purged content or leave any of it.

let server: OwnPlatform;
let organization: TestOrganization;
beforeAll(async () => {
  server = await startOwnPlatform();
  organization = await server.makeOrganization();
});
afterAll(() => server?.remove());

const queryDirectly = <Row>(statement: string, ...values: (string | number)[]) =>
  queryDatabase<Row>(server.dataDir, statement, ...values);

const count = (table: string, column: string, id: string) =>
  queryDirectly<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table} WHERE ${column} = ?`, id)[0]?.count;

const createClient = (id: string) => getClient(server, { id, token: organization.token });

/** Marks the space as being purged without queueing the job that continues the purge. */
const beginPurge = async (space: string) => {
  await setDeletedDaysAgo(server, space, 8);
  await writeDatabase(server, 'UPDATE spaces SET purging_at = 1 WHERE id = ?', space);
};

/** Creates a space with two pages, and a copy of the space in which one page is edited. */
async function createSourceAndCopy() {
  const source = await server.makeSpace({ organization });
  const [one = '', two = ''] = await createClient(source.id).change([insertPage('One'), insertPage('Two')]);
  const { id } = await getLifecycles(organization, server).copy(source.id);
  await createClient(id).change([writePage(one, 'Of the copy\n')]);
  await waitForAllJobs(server);
  return { source: source.id, copy: id, pages: [one, two] };
}

const getTexts = (space: string, pages: string[]) =>
  Promise.all(
    pages.map(async (page) => {
      const { markdown } = await createClient(space).callJson<{ markdown: string }>(
        `/content/page/${page}?format=markdown`,
      );
      return markdown;
    }),
  );

async function purge(space: string): Promise<void> {
  await setDeletedDaysAgo(server, space, 8);
  await ageFiles(server, 2);
  await advanceOneDay(server);
}

test('a copy reads no content released by flattening, even if a late write refers to it', async () => {
  const { source, copy, pages } = await createSourceAndCopy();
  const [head] = queryDirectly<{ lineage: string }>('SELECT lineage FROM revisions WHERE branch = ? AND seq = 2', copy);
  const texts = await getTexts(copy, pages);
  await queueJob(server, copy, { type: 'flatten_space', data: {} });
  await waitForAllJobs(server);
  await writeDatabase(
    server,
    'UPDATE revisions SET lineage = ? WHERE branch = ? AND seq = 2',
    head?.lineage ?? '',
    copy,
  );

  const { id: below } = await getLifecycles(organization, server).copy(copy);
  await waitForAllJobs(server);
  expect(queryDirectly('SELECT space FROM lineage_sources WHERE source = ?', source)).toEqual([]);
  const [first] = queryDirectly<{ lineage: string }>('SELECT lineage FROM revisions WHERE branch = ?', below);
  expect(JSON.parse(first?.lineage ?? '')).toEqual([
    [below, 1],
    [copy, 2],
  ]);
  await purge(source);

  expect(count('versions', 'branch', source)).toBe(0);
  for (const space of [copy, below]) expect(await getTexts(space, pages)).toEqual(texts);
});

test('a copy of a copy keeps the source rows that it reads while its source is being flattened', async () => {
  const { source, copy, pages } = await createSourceAndCopy();
  const texts = await getTexts(copy, pages);
  await queueJob(server, copy, { type: 'flatten_space', data: {} });
  const [copies] = await Promise.all([
    Promise.all(Array.from({ length: 6 }, () => getLifecycles(organization, server).copy(copy))),
    waitForAllJobs(server),
  ]);
  await waitForAllJobs(server);
  await purge(source);
  await purge(copy);

  for (const { id } of copies) {
    expect(await getTexts(id, pages)).toEqual(texts);
    const unheld = queryDirectly(
      `SELECT value FROM revisions r, json_each(json_remove(r.lineage, '$[0]')) WHERE r.branch = ?1 AND NOT EXISTS (
        SELECT 1 FROM lineage_sources l WHERE l.space = ?1 AND l.source = value->>0 AND l.seq = value->>1)`,
      id,
    );
    expect(unheld).toEqual([]);
  }
});

test('flattening writes nothing to a space that is being purged or no longer exists', async () => {
  const { copy } = await createSourceAndCopy();
  await beginPurge(copy);
  await queueJob(server, copy, { type: 'flatten_space', data: {} });
  await queueJob(server, 'spc_gone', { type: 'flatten_space', data: {} });
  await queueJob(server, 'spc_gone', { type: 'flatten_space', data: { cut: { number: 1, seq: 0 } } });
  await waitForAllJobs(server);
  expect(count('versions', 'branch', copy)).toBe(1);
  expect(count('lineage_sources', 'space', copy)).toBe(1);
});

test('a purge that starts while versions are being deleted leaves no branch', async () => {
  const owner = await server.makeOrganization();
  const before = getRows(server);
  const space = await server.makeSpace({ organization: owner });
  await waitForAllJobs(server);
  await insertLargeSpace(server, space, { pages: 10, changeRequests: 20 });
  await beginPurge(space.id);
  await queueJob(server, space.id, { type: 'purge_space', data: { stage: 'versions' } });
  await waitForAllJobs(server);

  expect(getRows(server)).toEqual(before);
});

test('a purge leaves no rows in the index of computed pages', async () => {
  const rows = 'WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 501) INSERT INTO';
  const inserts = {
    search_sources: `${rows} search_sources (space, source, organization, place, spec)
      SELECT ?, 'pg_' || n, 'org_x', '', 'library' FROM n`,
    search_made_pages: `${rows} search_made_pages (space, page, place, version, title, path, conditions)
      SELECT ?, 'pg_' || n, '', '', '', '', '[]' FROM n`,
  };
  for (const stage of ['search', 'space'])
    for (const [table, insert] of Object.entries(inserts)) {
      const { id } = await server.makeSpace({ organization });
      await waitForAllJobs(server);
      await beginPurge(id);
      await writeDatabase(server, insert, id);
      await queueJob(server, id, { type: 'purge_space', data: { stage } });
      await waitForAllJobs(server);

      expect([stage, table, count(table, 'space', id), count('spaces', 'id', id)]).toEqual([stage, table, 0, 0]);
    }
});

test('search does not index a space that is being purged', async () => {
  const { copy } = await createSourceAndCopy();
  expect(readIndexedIds(server, copy)).toHaveLength(2);
  await beginPurge(copy);
  await deleteIndexes(server);
  const pages = queryDirectly<{ id: string }>('SELECT DISTINCT id FROM versions WHERE branch = ?', copy).map(
    ({ id }) => id,
  );
  await queueJob(server, copy, { type: 'index_space', data: {} });
  await queueJob(server, copy, { type: 'content.changed', data: { revision: 'rev_x', pages } });
  await waitForAllJobs(server);

  expect(readIndexedIds(server, copy)).toEqual([]);
});

test('a space that is being purged is not found, however much of it is left', async () => {
  const { id, token } = await server.makeSpace({ organization });
  await beginPurge(id);
  const readStatus = async () => (await server.request(`/v1/spaces/${id}`, { token })).status;
  expect(await readStatus()).toBe(404);
  await writeDatabase(server, 'DELETE FROM revisions WHERE space = ?', id);
  expect(await readStatus()).toBe(404);
  expect((await server.request(`/v1/spaces/${id}/restore`, { token, method: 'POST' })).status).toBe(404);
});

test('a cleanup ends if another run is deleting the same files', async () => {
  const minute = 60_000;
  const countSweepJobs = () => queryDirectly("SELECT id FROM outbox WHERE type = 'sweep_expired'").length;
  const before = countSweepJobs();
  await writeDatabase(
    server,
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 600)
      INSERT INTO blobs (key, organization, bytes, content_type, claimed_at, doomed_at, settled)
      SELECT 'org_x/' || n, 'org_x', 1, 'text/plain', 1, ?, 0 FROM n`,
    Date.now() - minute,
  );
  await advanceOneDay(server);
  expect([countSweepJobs() - before, count('blobs', 'organization', 'org_x')]).toEqual([1, 600]);

  await ageFiles(server, 2);
  await advanceOneDay(server);
  // Blobs and their rows are deleted after the job is complete.
  await until(() => count('blobs', 'organization', 'org_x') === 0 || undefined);
});

test('deletes idempotency keys that are older than a day', async () => {
  const day = 24 * 60 * 60_000;
  for (const [key, age] of [
    ['old', day + 1000],
    ['young', day / 2],
  ] as const) {
    await writeDatabase(
      server,
      `INSERT INTO idempotency_keys (actor, key, operation, fingerprint, request, state, body, created_at)
        VALUES ('usr_x', ?, '', '', '', 'done', 'The title of a purged space', ?)`,
      key,
      Date.now() - age,
    );
  }
  await advanceOneDay(server);
  expect(queryDirectly("SELECT key FROM idempotency_keys WHERE actor = 'usr_x'")).toEqual([{ key: 'young' }]);
});
