import type { DirectoryKey } from '@octavo/schema';
import type { DirectoryEnvironment } from './environment.ts';

/** An entry: the cell of a key, and when it was last confirmed, in milliseconds. */
export interface StoredCell {
  key: string;
  cell: string;
  checkedAt: number;
}

/** The entry that was found for a key, and whether longer addresses of sites are in other cells. */
interface FoundCell extends StoredCell {
  hasOthers: number;
}

/** The entries whose keys users do not choose. */
const isRandom = "key NOT GLOB 'site/*' AND key NOT GLOB 'organization/*' AND key NOT GLOB 'integration/*'";

const schema = [
  `CREATE TABLE IF NOT EXISTS entries (
    key TEXT PRIMARY KEY NOT NULL,
    cell TEXT NOT NULL,
    checked_at INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS entries_by_age ON entries (checked_at) WHERE ${isRandom}`,
];

/** Runs a statement. The first one in a new database creates the table, and the first one that needs the index creates it. */
async function run(
  { DB }: DirectoryEnvironment,
  sql: string,
  values: unknown[],
  database: Pick<D1Database, 'prepare'> = DB,
): Promise<FoundCell[]> {
  const query = async (connection: Pick<D1Database, 'prepare'>) =>
    (
      await connection
        .prepare(sql)
        .bind(...values)
        .all<FoundCell>()
    ).results;
  try {
    return await query(database);
  } catch (error) {
    if (!/no such (?:table|index)/.test(String(error))) throw error;
    await DB.batch(schema.map((statement) => DB.prepare(statement)));
    return query(DB);
  }
}

/**
 * Returns the keys under which the entry of a key can be stored, the longest first. The address of a site's page has
 * one for each of its leading parts; any other key has only itself.
 */
export const listKeys = ({ kind, value }: DirectoryKey): string[] =>
  kind === 'site'
    ? value.split('/').map((_, index, segments) => `site/${segments.slice(0, segments.length - index).join('/')}`)
    : [`${kind}/${value}`];

/**
 * Reads the entry with the longest of the keys from the nearest replica, which can be out of date. Writes check whether
 * the entry has changed.
 */
export async function readEntry(env: DirectoryEnvironment, keys: string[]): Promise<FoundCell | undefined> {
  const [entry] = await run(
    env,
    `SELECT e.key, e.cell, e.checked_at AS checkedAt,
      EXISTS (SELECT 1 FROM entries l WHERE l.key >= e.key || '/' AND l.key < e.key || '0' AND l.cell <> e.cell) AS hasOthers
      FROM entries e WHERE e.key IN (SELECT value FROM json_each(?)) ORDER BY length(e.key) DESC LIMIT 1`,
    [JSON.stringify(keys)],
    env.DB.withSession('first-unconstrained'),
  );
  return entry;
}

/**
 * Stores the cell of a key, unless the entry has changed since it was read. Returns the stored cell: the first claim of a
 * key wins.
 */
export async function writeEntry(
  env: DirectoryEnvironment,
  { key, cell, checkedAt }: StoredCell,
  former: StoredCell | undefined,
): Promise<string> {
  const [written] = await run(
    env,
    `INSERT INTO entries (key, cell, checked_at) VALUES (?1, ?2, ?3)
      ON CONFLICT (key) DO UPDATE SET cell = ?2, checked_at = ?3 WHERE checked_at = ?4
      RETURNING cell`,
    [key, cell, checkedAt, former?.key === key ? former.checkedAt : 0],
  );
  const stored = written ?? (await run(env, 'SELECT cell FROM entries WHERE key = ?', [key]))[0];
  return stored?.cell ?? cell;
}

/** Deletes an entry whose key no cell has, unless the entry has changed since it was read. */
export const deleteEntry = (env: DirectoryEnvironment, { key, checkedAt }: StoredCell) =>
  run(env, 'DELETE FROM entries WHERE key = ? AND checked_at = ?', [key, checkedAt]);

const maxDeletedAtOnce = 1000;

/**
 * Deletes entries that no request has used for a while, at most 1,000. Returns whether there can be more. Names that
 * users choose stay, so that the first cell that has used one keeps it.
 */
export async function deleteUnusedEntries(env: DirectoryEnvironment, before: number): Promise<boolean> {
  const deleted = await run(
    env,
    `DELETE FROM entries WHERE key IN (SELECT key FROM entries INDEXED BY entries_by_age
      WHERE checked_at < ? AND ${isRandom} ORDER BY checked_at LIMIT ${maxDeletedAtOnce}) RETURNING key`,
    [before],
  );
  return deleted.length === maxDeletedAtOnce;
}
