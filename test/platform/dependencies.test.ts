import type { DatabaseSync } from 'node:sqlite';
import type { Database, Statement } from '@octavo/db';
import {
  commit,
  insertRevision,
  moveSpacesToTrash,
  moveSpaceToTrash,
  restoreSpaceFromTrash,
  scheduleForSpecification,
  transferCollectionsTo,
  transferSpaceTo,
} from '@octavo/db';
import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { connectMemoryDatabase, createMemoryDatabase } from '../support/memory-database.ts';
import { world } from './effects-world.ts';

// Computed pages of integrations are generated again when their dependencies change. Each test runs the statements of a
// change.

/** Far in the future, because a page that was generated recently is due soon. */
const later = 9_000_000_000_000_000;
const [space, spec] = [{ ref: { kind: 'space', space: 'spc_one' } }, { ref: { kind: 'openapi', spec: 'pets' } }];

let database: DatabaseSync;
let db: Database;
let now: number;
beforeEach(() => {
  database = createMemoryDatabase();
  database.exec(world);
  db = connectMemoryDatabase(database);
  now = Date.now();
  for (const organization of ['a', 'b']) {
    keep(organization, 'space', { of: space });
    keep(organization, 'openapi', { of: spec });
    keep(organization, 'else', { of: { ref: { kind: 'space', space: 'spc_two' } } });
  }
});

/** Inserts a computed page of an organization, as if it was computed just now. */
function keep(organization: string, page: string, dependencies: object): void {
  database
    .prepare(`INSERT INTO computed_contents (space, page, organization, integration, source, due_at, taken_at)
      VALUES (?, ?, ?, 'x', ?, ?, ?)`)
    .run(
      `spc_${organization}`,
      page,
      organization,
      JSON.stringify({ type: 'integration:x:y', dependencies }),
      later,
      now,
    );
}

/** Returns the computed pages that are due soon, with the milliseconds until then. */
const listDuePages = () =>
  database
    .prepare('SELECT organization, page, due_at FROM computed_contents WHERE due_at < ? ORDER BY 1, 2')
    .all(later)
    .map(({ organization, page, due_at }) => [`${organization} ${page}`, Number(due_at) - now]);

const write = (statements: Statement[]) => commit(db, { actor: 'usr_1', requestId: 'req_1' }, statements, []);

const revision = { id: 'rev_1', space: 'spc_one', seq: 7, type: 'edits', parents: [], lineage: [['spc_one', 1]] };
const rest = { author: 'usr_2', createdAt: 60, summary: '', changeRequest: null };
const edit = (branch: string) => insertRevision(db, 'a', { ...revision, ...rest, branch } as never);
const inside = sql`SELECT 'col_1' AS id`;
const transfer = { from: 'a', to: 'b' };
const pace = 180_000;

test.each<[string, () => Statement[], string[]]>([
  ['a space gets a new head', () => edit('spc_one'), ['a space']],
  ['a change request gets a new head', () => edit('cr_spc_one'), []],
  ['a space is moved to the trash', () => moveSpaceToTrash(db, 'spc_one', 9), ['a space']],
  ['a space is restored', () => restoreSpaceFromTrash(db, 'spc_one', {}), ['a space']],
  [
    'the spaces of a collection are moved to the trash',
    () => moveSpacesToTrash(db, { collections: inside, organization: 'a' } as never, 9),
    ['a space'],
  ],
  ['a space is transferred', () => transferSpaceTo(db, 'spc_one', transfer, {}).statements, ['a space', 'b space']],
  ['a collection is transferred', () => transferCollectionsTo(db, inside, transfer).statements, ['a space', 'b space']],
  [
    'a specification changes',
    () => [scheduleForSpecification(db, { organization: 'a', slug: 'pets' } as never)],
    ['a openapi'],
  ],
])('when %s, dependent pages are computed again within minutes', async (_, statements, made) => {
  await write(statements());

  expect(listDuePages()).toEqual(made.map((each) => [each, pace]));
});

test('schedules pages that were computed long ago at once, and keeps earlier scheduled times', async () => {
  database.exec(`UPDATE computed_contents SET taken_at = 1 WHERE organization = 'a'`);
  await write(edit('spc_one'));
  const [[, after] = []] = listDuePages();
  expect(after).toBeGreaterThanOrEqual(0);
  expect(after).toBeLessThan(60_000);

  database.exec(`UPDATE computed_contents SET due_at = 5 WHERE page = 'space' AND organization = 'a'`);
  await write(insertRevision(db, 'a', { ...revision, ...rest, id: 'rev_2', seq: 8, branch: 'spc_one' } as never));
  expect(listDuePages()).toEqual([['a space', 5 - now]]);
});

describe('the dependencies of a computed page', () => {
  const listDependencies = (page: string) =>
    database
      .prepare(
        `SELECT kind || ' ' || target AS of FROM computed_dependencies WHERE space = 'spc_a' AND page = ? ORDER BY 1`,
      )
      .all(page)
      .map(({ of }) => of);
  const set = (page: string, source: object) =>
    database
      .prepare("UPDATE computed_contents SET source = ? WHERE space = 'spc_a' AND page = ?")
      .run(JSON.stringify(source), page);

  test('are updated with the page and deleted with it', () => {
    expect(listDependencies('space')).toEqual(['space spc_one']);
    set('space', { type: 'integration:x:y', dependencies: { one: spec, other: space, again: space } });
    expect(listDependencies('space')).toEqual(['openapi pets', 'space spc_one']);
    set('space', { type: 'integration:x:y' });
    expect(listDependencies('space')).toEqual([]);
    database.exec("DELETE FROM computed_contents WHERE space = 'spc_a' AND page = 'openapi'");
    expect(listDependencies('openapi')).toEqual([]);
  });

  test('are passed to the script: the first ten, and only valid references', () => {
    const many = Array.from({ length: 12 }, (_, n) => [`of${n}`, { ref: { kind: 'space', space: `spc_${n}` } }]);
    set('space', {
      dependencies: { none: 'x', no: { ref: 'spc' }, odd: { ref: { kind: 'space' } }, ...Object.fromEntries(many) },
    });
    expect(listDependencies('space')).toHaveLength(9);
  });
});

describe('a thousand pages that depend on one space', () => {
  beforeEach(() => {
    for (let n = 0; n < 1000; n += 1) keep('a', `pg_${n}`, { of: space });
  });

  test('are scheduled in limited batches', async () => {
    await write(edit('spc_one'));

    expect(listDuePages()).toHaveLength(200);
  });
});

test('only reads the dependents of the changed content', async () => {
  const requests: string[] = [];
  db = connectMemoryDatabase(database, (text) => requests.push(text));
  await write([scheduleForSpecification(db, { organization: 'a', slug: 'pets' } as never)]);

  const [statement = ''] = requests.filter((text) => text.includes('computed_dependencies'));
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
  const details = plan.map(({ detail }) => String(detail));
  expect(details).toEqual(
    expect.arrayContaining([
      'SEARCH computed_contents USING PRIMARY KEY (space=? AND page=?)',
      'SEARCH d USING PRIMARY KEY (kind=? AND target=? AND organization=?)',
    ]),
  );
  expect(details.filter((detail) => /^SCAN (?!CONSTANT|given\b)/.test(detail))).toEqual([]);
});
