import { getSealPrefix } from '@octavo/runtime';
import type { ExportedTable, ExportStart } from '@octavo/schema';
import { ApiError, pauseMessage, pausePrefix } from '@octavo/schema';
import type { OperatorEnvironment } from '../environment.ts';
import { listTables, query, quote } from './tables.ts';

/** Returns a text that differs after each change with an event, which almost all changes have. */
async function readChangeStamp(env: OperatorEnvironment): Promise<string> {
  const [row] = await query<{ stamp: string }>(
    env,
    "SELECT COUNT(*) || ' ' || COALESCE(MAX(created_at), 0) || ' ' || COALESCE(MAX(done_at), 0) AS stamp FROM outbox",
  );
  return row?.stamp ?? '';
}

const readMigrations = async (env: OperatorEnvironment): Promise<string[]> =>
  (await query<{ name: string }>(env, 'SELECT name FROM d1_migrations ORDER BY name')).map(({ name }) => name);

/** Returns the prefixes of values that this installation can decrypt, without the secrets. */
async function readSecretIds({ OCTAVO_SECRET, OCTAVO_SECRET_PREVIOUS }: OperatorEnvironment): Promise<string[]> {
  const secrets = [OCTAVO_SECRET, OCTAVO_SECRET_PREVIOUS].filter((secret) => secret !== undefined);
  return Promise.all(secrets.map((secret) => getSealPrefix({ OCTAVO_SECRET: secret })));
}

/** Describes an installation: what an export must contain, and what an import requires. */
export async function describeInstallation(env: OperatorEnvironment): Promise<ExportStart> {
  const [tables, migrations, secrets, stamp, sequences] = await Promise.all([
    listTables(env),
    readMigrations(env),
    readSecretIds(env),
    readChangeStamp(env),
    query<{ name: string; seq: number }>(env, "SELECT name, seq FROM sqlite_sequence WHERE name <> 'd1_migrations'"),
  ]);
  return { tables, migrations, secrets, stamp, sequences };
}

export const listPauses = (env: OperatorEnvironment) =>
  query<{ name: string }>(
    env,
    "SELECT name FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, ?) = ?",
    pausePrefix.length,
    pausePrefix,
  );

/** Returns statements that refuse all writes to tables while a condition holds. */
export const createPauses = ({ DB }: OperatorEnvironment, tables: ExportedTable[], condition = '1') =>
  tables.flatMap(({ name }) =>
    ['INSERT', 'UPDATE', 'DELETE'].map((change) =>
      DB.prepare(
        `CREATE TRIGGER IF NOT EXISTS ${quote(`${pausePrefix}${change.toLowerCase()}_${name}`)} BEFORE ${change} ON ${quote(name)}
         WHEN ${condition} BEGIN SELECT RAISE(ABORT, '${pauseMessage}'); END`,
      ),
    ),
  );

/** Returns statements that accept writes again. */
export const dropPauses = async (env: OperatorEnvironment): Promise<D1PreparedStatement[]> =>
  (await listPauses(env)).map(({ name }) => env.DB.prepare(`DROP TRIGGER ${quote(name)}`));

/** @throws ApiError if an import is running, which refuses writes itself until it ends */
async function requireNoImport(env: OperatorEnvironment): Promise<void> {
  const imports = await query(env, 'SELECT 1 FROM installation_imports');
  if (imports.length > 0)
    throw new ApiError('conflict', 'An import is running. End it with octavo installation import --cancel.');
}

/** Refuses all writes to the tables of an export except dead letters, until they are resumed. Reads go on. */
export async function pauseInstallation(env: OperatorEnvironment): Promise<object> {
  await requireNoImport(env);
  const tables = (await listTables(env)).filter(({ name }) => name !== 'dead_letters');
  await env.DB.batch(createPauses(env, tables));
  return {};
}

/** Accepts writes again. */
export async function resumeInstallation(env: OperatorEnvironment): Promise<object> {
  await requireNoImport(env);
  const statements = await dropPauses(env);
  if (statements.length > 0) await env.DB.batch(statements);
  return {};
}
