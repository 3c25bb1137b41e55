import { readRows } from '@octavo/db';
import { expect, test } from 'vitest';
import { connectMemoryDatabase, createMemoryDatabase } from '../../../../../test/support/memory-database.ts';
import { readNamedLocations, siblingLocations } from './site-locations.ts';

const ofTheStatement =
  /^SCAN (?:CONSTANT|json_each|wanted|w|h|b|c|l|n|u|up|walk|first|here|rise|chain|\(subquery-\d+\))(?: |$)/;

test('finds pages of other spaces by indexes, without scanning a table', async () => {
  const database = createMemoryDatabase();
  const queries = new Set<string>();
  const db = connectMemoryDatabase(database, (sql) => queries.add(sql));
  await readRows(db, readNamedLocations('site_1', 'usr_1', '[["spc_1","pg_1",null]]'));
  for (const [select, key, length] of [
    [siblingLocations.byId, 'pg_1', 0],
    [siblingLocations.byPath, '["page"]', 1],
    [siblingLocations.ofFirstPage, '', 0],
  ] as const)
    await readRows(db, select('site_1', null, 'spc_1', '[]', key, length));

  const steps = [...queries].flatMap((sql) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  );

  expect(queries.size).toBe(4);
  expect(steps.filter((step) => step.startsWith('SCAN') && !ofTheStatement.test(step))).toEqual([]);
  // Joins by ordinal use an automatic index, so the number of rows read grows linearly with the number of locations.
  expect(steps.filter((step) => /^SEARCH [bch] USING AUTOMATIC COVERING INDEX/.test(step))).toHaveLength(16);
});
