import { query, writeDatabase } from './database.ts';
import { platform } from './platform.ts';

/**
 * Copies the row of the shared platform that matches `like` `count` times. `columns` are SQL expressions of the copy
 * number `i`.
 */
export async function multiply(
  table: string,
  count: number,
  like: string,
  columns: Record<string, string>,
): Promise<void> {
  const [row] = query(`SELECT * FROM ${table} x WHERE ${like}`);
  const names = Object.keys(row ?? {});
  await writeDatabase(
    platform(),
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO ${table} (${names.join(', ')})
     SELECT ${names.map((name) => columns[name] ?? `x.${name}`).join(', ')} FROM n CROSS JOIN ${table} x WHERE ${like}`,
    count,
  );
}
