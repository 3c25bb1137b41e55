import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { callOperator } from '@octavo/platform';
import { platform } from './platform.ts';

type Value = string | number | null;

function fileOfDatabase(dataDir: string): string {
  const folder = path.join(dataDir, 'state/d1/miniflare-D1DatabaseObject');
  const file = readdirSync(folder).find((name) => /^[0-9a-f]+\.sqlite$/.test(name));
  if (file === undefined) throw new Error(`There is no database in ${folder}.`);
  return path.join(folder, file);
}

function run<Row>(dataDir: string, readOnly: boolean, statement: string, values: Value[]): Row[] {
  const database = new DatabaseSync(fileOfDatabase(dataDir), { readOnly, timeout: 5000 });
  try {
    return database.prepare(statement).all(...values) as Row[];
  } finally {
    database.close();
  }
}

/** Reads a platform's database directly, for state that no operation exposes. */
export const readPast = <Row = Record<string, Value>>(dataDir: string, statement: string, ...values: Value[]): Row[] =>
  run<Row>(dataDir, true, statement, values);

let shared: DatabaseSync | undefined;

/** Reads the shared platform's database directly. */
export function query<Row = Record<string, Value>>(statement: string, ...values: Value[]): Row[] {
  // A single connection is shared, because opening the database parses the whole schema, which takes longer than most
  // statements.
  shared ??= new DatabaseSync(fileOfDatabase(platform().dataDir), { readOnly: true, timeout: 5000 });
  return shared.prepare(statement).all(...values) as Row[];
}

/** Runs a write in a platform's database through the platform process, for states that no operation can create. */
export const writePast = (server: { dataDir: string }, sql: string, ...values: Value[]): Promise<void> =>
  writePastAtOnce(server, [{ sql, values }]);

/** Like `writePast`, but runs several statements in one transaction. */
export async function writePastAtOnce(
  { dataDir }: { dataDir: string },
  statements: { sql: string; values: Value[] }[],
): Promise<void> {
  await callOperator(dataDir, '/database', { key: process.env.OCTAVO_TEST_KEY, statements });
}

/** Like `writePast`, but while the platform is stopped. */
export const writeStopped = ({ dataDir }: { dataDir: string }, statement: string, ...values: Value[]): void =>
  void run(dataDir, false, statement, values);
