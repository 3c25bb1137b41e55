import type { DatabaseSync } from 'node:sqlite';
import type { Database, Effect, Statement } from '@octavo/db';
import {
  commit,
  deleteCollections,
  deleteLineageSources,
  deleteMember,
  deleteSpace,
  deleteTeam,
  insertRevision,
  moveSpacesToTrash,
  moveSpaceToTrash,
  purgeDiscussions,
  restoreSpaceFromTrash,
  runBatch,
  selectLineageSources,
  transferCollectionsTo,
  transferSpaceTo,
} from '@octavo/db';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectMemoryDatabase, createMemoryDatabase } from '../support/memory-database.ts';
import { snapshotTables, world } from './effects-world.ts';

// Tests the effects of a write on the tables of other workers, row by row. Rows that a test does not list must not
// change, and no statement may scan a table.

let database: DatabaseSync;
let db: Database;
let requestedNames: Set<string>;
beforeEach(() => {
  database = createMemoryDatabase();
  database.exec(world);
  requestedNames = new Set();
  db = connectMemoryDatabase(database, (sql) => requestedNames.add(sql));
});
afterEach(() => {
  for (const statement of requestedNames) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
    const scanned = plan.filter(({ detail }) => /^SCAN (?!json_each|CONSTANT|given\b|level\b)/.test(String(detail)));
    expect([statement, scanned]).toEqual([statement, []]);
  }
});

const takeSnapshot = () => snapshotTables(database);

/** Runs statements and returns the rows that they remove and add. */
const change = (...statements: Statement[]) => commitAndDiffRows({ statements, events: [] });

async function commitAndDiffRows({ statements, events }: Effect): Promise<{ gone: string[]; new: string[] }> {
  const before = takeSnapshot();
  await commit(db, { actor: 'usr_1', requestId: 'req_1' }, statements, events);
  const after = takeSnapshot();
  return {
    gone: before.filter((row) => !after.includes(row)).toSorted(),
    new: after.filter((row) => !before.includes(row)).toSorted(),
  };
}

const inside = sql`SELECT value AS id FROM json_each('["col_1","col_2"]')`;
const revision = { id: 'rev_1', space: 'spc_one', branch: 'cr_spc_one', seq: 7, type: 'edits', parents: [] } as const;
const written = { lineage: [['spc_one', 1]], author: 'usr_2', createdAt: 60, summary: '', changeRequest: null };
const insertNewRevision = (differs: object) =>
  insertRevision(db, 'a', { ...revision, ...written, ...differs } as never);

test('an edit updates the change request and adds its author to the contributors', async () => {
  const gone = ['changeRequests: cr_spc_one a open 50 0'];
  expect(await change(...insertNewRevision({}))).toEqual({
    gone,
    new: ['changeRequests: cr_spc_one a open 60 7', 'contributors: cr_spc_one usr_2 edit 1'],
  });
  expect((await change(...insertNewRevision({ id: 'rev_2', seq: 8, createdAt: 40 }))).new).toEqual([
    'changeRequests: cr_spc_one a open 60 8',
    'contributors: cr_spc_one usr_2 edit 2',
  ]);
});

test('an update is not an edit, a merge closes the change request, and imports and live edits do not affect it', async () => {
  const before = 'changeRequests: cr_spc_one a open 50 0';
  const updated = 'changeRequests: cr_spc_one a open 60 0';
  expect(await change(...insertNewRevision({ type: 'update' }))).toEqual({ gone: [before], new: [updated] });
  const merge = { id: 'rev_2', branch: 'spc_one', type: 'merge', changeRequest: 'cr_spc_one', createdAt: 70 };
  expect(await change(...insertNewRevision(merge))).toEqual({
    gone: [updated, 'counters: spc_one 1 1'],
    new: ['changeRequests: cr_spc_one a merged 70 0', 'counters: spc_one 0 1'],
  });
  for (const branch of ['imp_1', 'spc_one'])
    expect(await change(...insertNewRevision({ id: branch, branch, seq: 9 }))).toEqual({ gone: [], new: [] });
});

test('a removed member or team is no longer a requested reviewer', async () => {
  const member = await change(...deleteMember(db, { organization: 'a', id: 'usr_2' }));
  expect(member.new).toEqual([]);
  expect(member.gone).toEqual(expect.arrayContaining(['counts: a usr_2 1', 'grants: spc_one usr_2']));
  const team = await change(...deleteTeam(db, { organization: 'a', id: 'team_1' }));
  expect(team.gone).toEqual(expect.arrayContaining(['counts: team_1 2', 'grants: spc_one team_1']));
  expect(takeSnapshot().filter((row) => row.startsWith('asked'))).toEqual(
    ['one', 'two'].map((space) => `asked: cr_spc_${space} usr_1 a`),
  );
});

test('grants on a trashed space are not counted until it is restored', async () => {
  const live = ['counts: a usr_1 2', 'counts: team_1 2', 'spaces: spc_one a'];
  const trashed = ['counts: a usr_1 1', 'counts: team_1 1', 'spaces: spc_one a 9'];
  expect(await change(...moveSpaceToTrash(db, 'spc_one', 9))).toEqual({ gone: live, new: trashed });
  expect(await change(...restoreSpaceFromTrash(db, 'spc_one', {}))).toEqual({ gone: trashed, new: live });
});

test('grants on spaces of deleted collections are not counted either, in as many statements as for one space', async () => {
  const statements = moveSpacesToTrash(db, { collections: inside, organization: 'a' }, 9);
  expect(statements).toHaveLength(moveSpaceToTrash(db, 'spc_one', 9).length);
  expect((await change(...statements)).new).toEqual([
    'counts: a usr_1 0',
    'counts: a usr_2 0',
    'counts: team_1 0',
    'spaces: spc_one a 9',
    'spaces: spc_two a 9',
  ]);
});

/** Returns the rows that the transfer of a space to organization `b` removes, without counters. */
const listRemovedRows = (space: string) => [
  ...['usr_1', 'usr_2', 'team_1'].flatMap((subject) => [
    `asked: cr_${space} ${subject} a`,
    `grants: ${space} ${subject}`,
  ]),
  ...[`changeRequests: cr_${space} a open 50 0`, `invites: ${space}`, `searched: ${space} a`, `spaces: ${space} a`],
  ...['ins_1', 'ins_2'].map((installation) => `installed: ${installation} ${space}`),
];
const listTransferredRows = (space: string) => [
  ...[`asked: cr_${space} usr_1 b`, `changeRequests: cr_${space} b open 50 0`],
  ...[`searched: ${space} b`, `spaces: ${space} b`],
  ...['ins_1 active', 'ins_2 pending'].map((of) => `told: space_installation.deleted a ${space} ${of}`),
];

test('a transferred space loses its grants and keeps its change requests', async () => {
  expect(await commitAndDiffRows(transferSpaceTo(db, 'spc_one', { from: 'a', to: 'b' }, { parent: null }))).toEqual({
    gone: [...listRemovedRows('spc_one'), 'counts: a usr_1 2', 'counts: team_1 2'].toSorted(),
    new: [...listTransferredRows('spc_one'), 'counts: a usr_1 1', 'counts: team_1 1'].toSorted(),
  });
});

test('all spaces of transferred collections are transferred in the same way', async () => {
  const collections = ['col_1', 'col_2'];
  const rows = collections.flatMap((id) => [`collections: ${id} a`, `grants: ${id} usr_1`, `invites: ${id}`]);
  const counts = ['counts: a usr_1 2', 'counts: a usr_2 1', 'counts: team_1 2'];
  expect(await commitAndDiffRows(transferCollectionsTo(db, inside, { from: 'a', to: 'b' }))).toEqual({
    gone: [...listRemovedRows('spc_one'), ...listRemovedRows('spc_two'), ...rows, ...counts].toSorted(),
    new: [
      ...[
        ...listTransferredRows('spc_one'),
        ...listTransferredRows('spc_two'),
        'collections: col_1 b',
        'collections: col_2 b',
      ],
      ...['counts: a usr_1 0', 'counts: a usr_2 0', 'counts: team_1 0'],
    ].toSorted(),
  });
});

test('a transfer sets the organization of all comments, also if an earlier release did not', async () => {
  const transfer = { from: 'a', to: 'b' } as const;
  const listOrganizations = () =>
    database.prepare('SELECT DISTINCT space, organization FROM comments ORDER BY space').all();
  const comments = ['spc_old', 'spc_one', 'spc_purged', 'spc_two'].map((space) => ({ space, organization: 'stale' }));
  database.exec("UPDATE comments SET organization = 'stale'");

  await commitAndDiffRows(transferSpaceTo(db, 'spc_one', transfer, { parent: null }));
  const expectedAfter = (spaces: string[]) =>
    comments.map(({ space, organization }) => ({ space, organization: spaces.includes(space) ? 'b' : organization }));
  expect(listOrganizations()).toEqual(expectedAfter(['spc_one']));
  await commitAndDiffRows(transferCollectionsTo(db, inside, transfer));
  expect(listOrganizations()).toEqual(expectedAfter(['spc_one', 'spc_two']));
});

test('deletes the discussions of a purged space in batches, and its change requests last', async () => {
  const remainingRows = takeSnapshot().filter((row) => /discussed|changeRequests/.test(row) && !row.includes('purged'));
  let steps = 0;
  while (takeSnapshot().some((row) => /(discussed|changeRequests): .*purged/.test(row)) && steps < 20) {
    await change(...purgeDiscussions(db, 'spc_purged', 1));
    const isDiscussed = takeSnapshot().some((row) => /discussed: .*purged/.test(row));
    expect(takeSnapshot().includes('changeRequests: cr_spc_purged a open 50 0')).toBe(isDiscussed || steps < 3);
    steps += 1;
  }
  expect(steps).toBeGreaterThan(3);
  expect(takeSnapshot().filter((row) => /discussed|changeRequests/.test(row))).toEqual(remainingRows);
});

test('the row of a purged space is deleted with its grants', async () => {
  expect(await commitAndDiffRows(deleteSpace(db, { space: 'spc_purged', organization: 'a' }))).toEqual({
    gone: [
      ...['usr_1', 'usr_2'].map((user) => `contributors: spc_purged ${user} comment 1`),
      ...['counters: spc_purged 1 1', 'invites: spc_purged', 'spaces: spc_purged a 1'],
      ...['team_1', 'usr_1', 'usr_2'].map((subject) => `grants: spc_purged ${subject}`),
      'installed: ins_1 spc_purged',
    ].toSorted(),
    new: ['told: space_installation.deleted a spc_purged ins_1 active'],
  });
});

test('does not delete a space through another organization, or before its purge', async () => {
  for (const [space, organization] of [
    ['spc_purged', 'b'],
    ['spc_old', 'a'],
  ] as const) {
    const before = takeSnapshot();
    await expect(commitAndDiffRows(deleteSpace(db, { space, organization }))).rejects.toThrow(
      'A concurrent write was faster. Try again.',
    );
    expect(takeSnapshot()).toEqual(before);
  }
});

test('the grants of a collection are deleted with it', async () => {
  const deleted = sql`deleted_at IS NOT NULL`;
  expect(await change(...deleteCollections(db, ['col_2', 'col_3'], deleted))).toEqual({
    gone: ['collections: col_3 a', 'grants: col_3 usr_1', 'invites: col_3'],
    new: [],
  });
});

const getSources = async () => (await runBatch(db, { sources: selectLineageSources('spc_two') })).sources;

test('deletes the lineage sources of a space, and continues the purges that waited for them', async () => {
  const { statements, events } = deleteLineageSources(db, 'spc_two', await getSources());
  expect(events).toEqual(
    expect.arrayContaining([
      { type: 'purge_space', space: 'spc_gone', data: { stage: 'versions' } },
      { type: 'purge_space', organization: 'a', space: 'spc_purged', data: { stage: 'versions' } },
    ]),
  );
  expect(events).toHaveLength(2);
  expect((await change(...statements)).gone).toHaveLength(4);
});

test('deletes no lineage sources if a purge started after they were read', async () => {
  const { statements } = deleteLineageSources(db, 'spc_two', await getSources());
  database.exec("UPDATE spaces SET purging_at = 1 WHERE id = 'spc_one'");

  await expect(change(...statements)).rejects.toThrow('A concurrent write was faster. Try again.');
});
