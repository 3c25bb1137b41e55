import type { ExportedCell, ExportStart } from '@octavo/schema';
import { ApiError } from '@octavo/schema';
import type { Body, OperatorEnvironment } from '../environment.ts';
import { createPauses, describeInstallation, dropPauses, listPauses } from './export.ts';
import { findTable, fromBase64, query, quote } from './tables.ts';

const maxDeletedPerCall = 2000;
/** D1 binds at most 2 MB. A character takes up to three bytes, or six if JSON escapes it. */
const maxJsonLength = 300_000;

const conflict = (message: string): ApiError => new ApiError('conflict', message);

const findImport = async (env: OperatorEnvironment): Promise<{ id: string; triggers: string } | undefined> =>
  (await query<{ id: string; triggers: string }>(env, 'SELECT id, triggers FROM installation_imports'))[0];

/** The id of a row that exists only within the batches of an import. Without this row, all writes are refused. */
const writingId = 'writing';
const isOtherWriter = `NOT EXISTS (SELECT 1 FROM installation_imports WHERE id = '${writingId}')`;

/** Writes rows of the import that a call names. Returns the results. @throws ApiError if the import has ended */
async function writeRows(env: OperatorEnvironment, body: Body, statements: D1PreparedStatement[]): Promise<D1Result[]> {
  const { DB } = env;
  // If the import has ended, the subquery returns NULL for `triggers`, so the batch fails.
  const insert =
    'INSERT INTO installation_imports (id, started_at, triggers) VALUES (?, 0, (SELECT triggers FROM installation_imports WHERE id = ?))';
  const batch = [
    DB.prepare(insert).bind(writingId, body.run),
    ...statements,
    DB.prepare('DELETE FROM installation_imports WHERE id = ?').bind(writingId),
  ];
  const results = await DB.batch<unknown>(batch).catch(async (error: unknown) => {
    await requireImport(env, body);
    throw error;
  });
  return results.slice(1, -1);
}

const selectUsed =
  "SELECT 'organizations' AS name FROM organizations UNION ALL SELECT 'spaces' FROM spaces UNION ALL SELECT 'sites' FROM sites LIMIT 1";

async function requireUnused(env: OperatorEnvironment): Promise<void> {
  const [used] = await query<{ name: string }>(env, selectUsed);
  if (used !== undefined) throw conflict(`This installation already has ${used.name}. Import into a new installation.`);
}

/**
 * Prepares an installation without organizations for an import, and returns its tables. Until the end, all other writes
 * and reads are refused and crons do not run. All triggers are removed, because the imported rows contain what they
 * would write. An interrupted import starts again with a new id, so that calls of the former import are refused.
 */
export async function beginImport(
  env: OperatorEnvironment,
  { onlyAgain = false }: Body,
): Promise<ExportStart & { run: string }> {
  const id = crypto.randomUUID();
  const start = { ...(await describeInstallation(env)), run: id };
  const pauses = createPauses(env, start.tables, isOtherWriter);
  const again = await query(env, 'UPDATE installation_imports SET id = ? RETURNING id', id);
  if (again.length > 0) {
    await env.DB.batch(pauses);
    return start;
  }
  if (onlyAgain === true) throw noImport();
  if ((await listPauses(env)).length > 0)
    throw conflict('This installation is paused after an export. Run octavo installation resume first.');
  await requireUnused(env);
  const triggers = await query<{ name: string; sql: string }>(
    env,
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
  );
  const insert = 'INSERT INTO installation_imports (id, started_at, triggers) VALUES (?, ?, ?)';
  const statements = [
    env.DB.prepare(`SELECT json(name) FROM (${selectUsed})`),
    env.DB.prepare(insert).bind(id, Date.now(), JSON.stringify(triggers.map(({ sql }) => sql))),
    ...triggers.map(({ name }) => env.DB.prepare(`DROP TRIGGER ${quote(name)}`)),
    ...pauses,
  ];
  // The first statement fails if someone has created an organization meanwhile.
  await env.DB.batch(statements).catch(async (error: unknown) => {
    await requireUnused(env);
    throw error;
  });
  return start;
}

const noImport = (): ApiError => conflict('No import is running.');

/** Returns the SQL of the removed triggers. @throws ApiError if the import that the call names is not running */
export async function requireImport(env: OperatorEnvironment, { run: id }: Body): Promise<string[]> {
  const running = await findImport(env);
  if (running === undefined) throw noImport();
  if (running.id !== id) throw conflict('Another import was started.');
  return JSON.parse(running.triggers) as string[];
}

/** Deletes rows of a table, at most 2,000. */
export async function clearTable(env: OperatorEnvironment, body: Body): Promise<{ hasMore: boolean }> {
  await requireImport(env, body);
  const { table: name } = body;
  const { keys } = await findTable(env, name);
  const key = keys.map(quote).join(', ');
  const rows = `SELECT ${key} FROM ${quote(String(name))} LIMIT ${maxDeletedPerCall}`;
  const deletion = env.DB.prepare(`DELETE FROM ${quote(String(name))} WHERE (${key}) IN (${rows}) RETURNING 1`);
  const [deleted] = await writeRows(env, body, [deletion]);
  return { hasMore: deleted?.results.length === maxDeletedPerCall };
}

/** Whether a row cannot be passed to SQLite as JSON. */
const needsBinding = (row: ExportedCell[], json: string): boolean =>
  json.length > maxJsonLength ||
  json.includes('\\u0000') ||
  row.some((cell) => typeof cell === 'object' && cell !== null);

const decodeCell = (cell: ExportedCell): unknown =>
  typeof cell === 'object' && cell !== null ? fromBase64(cell.base64).buffer : cell;

/** Inserts rows. A call that is repeated inserts nothing more. @throws ApiError if a row has other columns */
export async function insertRows(env: OperatorEnvironment, body: Body): Promise<object> {
  await requireImport(env, body);
  const { name, columns } = await findTable(env, body.table);
  const rows = body.rows as ExportedCell[][];
  if (rows.some((row) => row.length !== columns.length))
    throw new ApiError('invalid', `Each row of the table ${name} must have ${columns.length} values.`);
  const insert = `INSERT OR IGNORE INTO ${quote(name)} (${columns.map(quote).join(', ')})`;
  const bound = `${insert} VALUES (${columns.map(() => '?').join(', ')})`;
  const fromJson = `${insert} SELECT ${columns.map((_, index) => `value->>${index}`).join(', ')} FROM json_each(?)`;
  const statements: D1PreparedStatement[] = [];
  let chunk: string[] = [];
  let length = 0;
  const flush = () => {
    if (chunk.length > 0) statements.push(env.DB.prepare(fromJson).bind(`[${chunk.join(',')}]`));
    [chunk, length] = [[], 0];
  };
  for (const row of rows) {
    const json = JSON.stringify(row);
    const mustBind = needsBinding(row, json);
    if (mustBind || length + json.length > maxJsonLength) flush();
    if (mustBind) statements.push(env.DB.prepare(bound).bind(...row.map(decodeCell)));
    else chunk.push(json);
    length += json.length;
  }
  flush();
  if (statements.length > 0) await writeRows(env, body, statements);
  return {};
}

/** Continues the numbers of a table after the last number of the exported table. */
export async function setSequence(env: OperatorEnvironment, body: Body): Promise<object> {
  await requireImport(env, body);
  const { name, seq } = body;
  await findTable(env, name);
  const values = name === 'feed' ? "(seq, organization, event) VALUES (?, '', '')" : undefined;
  if (values === undefined) throw new ApiError('invalid', `The table ${name} has no sequence.`);
  await writeRows(env, body, [
    env.DB.prepare(`INSERT OR IGNORE INTO feed ${values}`).bind(seq),
    env.DB.prepare("DELETE FROM feed WHERE seq = ? AND organization = ''").bind(seq),
  ]);
  return {};
}

/** Accepts requests, and creates the triggers again. Crons then continue the jobs of the exported installation. */
export async function finishImport(env: OperatorEnvironment, body: Body): Promise<object> {
  const triggers = await requireImport(env, body);
  await writeRows(env, body, [
    ...(await dropPauses(env)),
    ...triggers.map((sql) => env.DB.prepare(sql)),
    env.DB.prepare('DELETE FROM installation_imports'),
  ]);
  return {};
}
