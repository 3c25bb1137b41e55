import { query, writePast } from './database.ts';
import { platform } from './platform.ts';

/** So many more rows of the shared platform like one, with these columns told by their number `i`. */
export async function multiply(
  table: string,
  count: number,
  like: string,
  columns: Record<string, string>,
): Promise<void> {
  const [row] = query(`SELECT * FROM ${table} x WHERE ${like}`);
  const names = Object.keys(row ?? {});
  await writePast(
    platform(),
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO ${table} (${names.join(', ')})
     SELECT ${names.map((name) => columns[name] ?? `x.${name}`).join(', ')} FROM n CROSS JOIN ${table} x WHERE ${like}`,
    count,
  );
}
