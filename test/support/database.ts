import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { callOperator } from '@octavo/platform';
import { platform } from './platform.ts';

type Value = string | number | null;

function findDatabaseFile(dataDir: string): string {
  const folder = path.join(dataDir, 'state/d1/miniflare-D1DatabaseObject');
  const file = readdirSync(folder).find((name) => /^[0-9a-f]+\.sqlite$/.test(name));
  if (file === undefined) throw new Error(`There is no database in ${folder}.`);
  return path.join(folder, file);
}

// Opening a database parses the whole schema, which takes longer than most statements. So connections are shared.
let reading: { dataDir: string; database: DatabaseSync } | undefined;

/** Opens a platform's database until the next turn of the event loop. */
function openForReading(dataDir: string): DatabaseSync {
  if (reading?.dataDir === dataDir) return reading.database;
  const database = new DatabaseSync(findDatabaseFile(dataDir), { readOnly: true, timeout: 5000 });
  reading = { dataDir, database };
  setImmediate(() => {
    if (reading?.database === database) reading = undefined;
    database.close();
  });
  return database;
}

/** Reads a platform's database directly, for state that no operation exposes. */
export const queryDatabase = <Row = Record<string, Value>>(
  dataDir: string,
  statement: string,
  ...values: Value[]
): Row[] =>
  openForReading(dataDir)
    .prepare(statement)
    .all(...values) as Row[];

let shared: { dataDir: string; database: DatabaseSync } | undefined;

/** Reads the shared platform's database directly. */
export function query<Row = Record<string, Value>>(statement: string, ...values: Value[]): Row[] {
  const { dataDir } = platform();
  if (shared?.dataDir !== dataDir) {
    shared?.database.close();
    shared = { dataDir, database: new DatabaseSync(findDatabaseFile(dataDir), { readOnly: true, timeout: 5000 }) };
  }
  return shared.database.prepare(statement).all(...values) as Row[];
}

/** Runs a write in a platform's database through the platform process, for states that no operation can create. */
export const writeDatabase = (server: { dataDir: string }, sql: string, ...values: Value[]): Promise<void> =>
  writeDatabaseAtOnce(server, [{ sql, values }]);

/** Like `writeDatabase`, but runs several statements in one transaction. */
export async function writeDatabaseAtOnce(
  { dataDir }: { dataDir: string },
  statements: { sql: string; values: Value[] }[],
): Promise<void> {
  await callOperator(dataDir, '/database', { key: process.env.OCTAVO_TEST_KEY, statements });
}

/** Like `writeDatabase`, but while the platform is stopped. */
export function writeStoppedDatabase({ dataDir }: { dataDir: string }, statement: string, ...values: Value[]): void {
  const database = new DatabaseSync(findDatabaseFile(dataDir), { timeout: 5000 });
  try {
    database.prepare(statement).all(...values);
  } finally {
    database.close();
  }
}
