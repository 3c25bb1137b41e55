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

/** Reads a platform's database past the API: for what no operation shows. */
export const readPast = <Row = Record<string, Value>>(dataDir: string, statement: string, ...values: Value[]): Row[] =>
  run<Row>(dataDir, true, statement, values);

let shared: DatabaseSync | undefined;

/** Reads the shared platform's database past the API. */
export function query<Row = Record<string, Value>>(statement: string, ...values: Value[]): Row[] {
  // To open it is to read the whole schema, which takes longer than most statements.
  shared ??= new DatabaseSync(fileOfDatabase(platform().dataDir), { readOnly: true, timeout: 5000 });
  return shared.prepare(statement).all(...values) as Row[];
}

/** Writes to a platform's database past the API: for states that no operation makes. The platform itself does it. */
export const writePast = (server: { dataDir: string }, sql: string, ...values: Value[]): Promise<void> =>
  writePastAtOnce(server, [{ sql, values }]);

/** As `writePast`, several statements in one transaction. */
export async function writePastAtOnce(
  { dataDir }: { dataDir: string },
  statements: { sql: string; values: Value[] }[],
): Promise<void> {
  await callOperator(dataDir, '/database', { key: process.env.OCTAVO_TEST_KEY, statements });
}

/** As `writePast`, while the platform does not run. */
export const writeStopped = ({ dataDir }: { dataDir: string }, statement: string, ...values: Value[]): void =>
  void run(dataDir, false, statement, values);
