import { readRows, selectSpecUses } from '@octavo/db';
import { expect, test } from 'vitest';
import { connectMemoryDatabase, createMemoryDatabase } from '../../support/memory-database.ts';

/** Returns the table scans of the statements, except scans of JSON, constants and the named intermediate results. */
function getScans(work: (db: ReturnType<typeof connectMemoryDatabase>) => Promise<unknown>, gathered: string[]) {
  const database = createMemoryDatabase();
  const queries = new Set<string>();
  return work(connectMemoryDatabase(database, (sql) => queries.add(sql))).then(() => {
    expect(queries.size).toBeGreaterThan(0);
    return [...queries].flatMap((sql) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail))
        .filter((detail) => /^SCAN (?!CONSTANT|\(subquery)/.test(detail) && !detail.includes('VIRTUAL TABLE'))
        .filter((detail) => !gathered.some((name) => detail === `SCAN ${name}`)),
    );
  });
}

test('finds the uses of a specification on a site by indexes', async () => {
  const uses = selectSpecUses('site_1', 'org_1', 'library', 'usr_1', 'cr_1', 'rev_1', 5, 10);

  expect(await getScans((db) => readRows(db, uses), ['shown', 'uses', 'u', 's', 'up', 'chain'])).toEqual([]);
});
