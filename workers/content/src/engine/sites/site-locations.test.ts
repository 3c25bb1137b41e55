import { readRows } from '@octavo/db';
import { expect, test } from 'vitest';
import { boundTo, memoryDatabase } from '../../../../../test/support/memory-database.ts';
import { readNamedLocations, readSiblingLocations } from './site-locations.ts';

const ofTheStatement =
  /^SCAN (?:CONSTANT|json_each|wanted|w|h|b|c|l|n|u|up|walk|here|rise|chain|\(subquery-\d+\))(?: |$)/;

test('finds pages of other spaces by indexes, without scanning a table', async () => {
  const database = memoryDatabase();
  const asked = new Set<string>();
  const db = boundTo(database, (sql) => asked.add(sql));
  await readRows(db, readNamedLocations('site_1', 'usr_1', '[["spc_1","pg_1",null]]'));
  await readRows(db, readSiblingLocations('site_1', null, 'spc_1', 'pg_1', '[]'));

  const steps = [...asked].flatMap((sql) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  );

  expect(asked.size).toBe(2);
  expect(steps.filter((step) => step.startsWith('SCAN') && !ofTheStatement.test(step))).toEqual([]);
  // Joins by ordinal use an automatic index, so the number of rows read grows linearly with the number of locations.
  expect(steps.filter((step) => /^SEARCH [bch] USING AUTOMATIC COVERING INDEX/.test(step))).toHaveLength(8);
});
