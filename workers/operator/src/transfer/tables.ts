import type { DatabaseBinding } from '@octavo/db';
import type { ExportedCell, ExportedRows, ExportedTable } from '@octavo/schema';
import { ApiError } from '@octavo/schema';

/** Tables that belong to one installation, or to one run of an export or import. */
const ownTables = ['d1_migrations', 'cron_runs', 'operator_calls', 'installation_imports'];
const maxRowsPerCall = 2000;
const maxBytesPerCall = 1_000_000;

/** Runs a query and returns its rows. */
export async function query<Row>({ DB }: { DB: DatabaseBinding }, sql: string, ...values: unknown[]): Promise<Row[]> {
  const { results } = await DB.prepare(sql)
    .bind(...values)
    .all<Row>();
  return results;
}

/** Quotes the name of a table or a column. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

interface FoundTable {
  name: string;
  wr: number;
  columns: string;
  /** Each table that this one refers to, with the column that refers to it. */
  parents: string;
}

const readParents = ({ parents }: FoundTable) => JSON.parse(parents) as [table: string, column: string][];

/** Orders tables so that each comes after those that it refers to. Jobs are last, because crons start them. */
function sortTables(tables: FoundTable[]): FoundTable[] {
  const sorted = new Set<FoundTable>();
  const visit = (table: FoundTable, path: string[]): void => {
    const parents = readParents(table).map(([name]) => name);
    for (const parent of tables.filter(({ name }) => parents.includes(name) && !path.includes(name)))
      visit(parent, [...path, parent.name]);
    sorted.add(table);
  };
  for (const table of tables.toSorted((a, b) => Number(a.name === 'outbox') - Number(b.name === 'outbox')))
    visit(table, [table.name]);
  return [...sorted];
}

/**
 * Returns the tables of an installation with their columns, without generated ones, in the order in which they can be
 * filled. Indexes for full texts are left out: only an earlier version used them.
 */
export async function listTables(env: { DB: DatabaseBinding }): Promise<ExportedTable[]> {
  const tables = await query<FoundTable>(
    env,
    `SELECT t.name, t.wr,
      (SELECT json_group_array(json_array(c.name, c.pk)) FROM pragma_table_info(t.name) c) AS columns,
      (SELECT json_group_array(json_array(f."table", f."from")) FROM pragma_foreign_key_list(t.name) f) AS parents
    FROM pragma_table_list t WHERE t.schema = 'main' AND t.type = 'table'
      AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
      AND t.name NOT IN (SELECT value FROM json_each(?)) ORDER BY t.name`,
    JSON.stringify(ownTables),
  );
  return sortTables(tables).map((table) => {
    const { name, wr } = table;
    const list = JSON.parse(table.columns) as [string, number][];
    const primary = list.filter(([, position]) => position > 0).toSorted(([, a], [, b]) => a - b);
    const parent = readParents(table).find(([other]) => other === name)?.[1];
    return {
      name,
      columns: list.map(([column]) => column),
      keys: wr === 1 ? primary.map(([column]) => column) : ['rowid'],
      ...(parent !== undefined && { parent }),
    };
  });
}

export async function findTable(env: { DB: DatabaseBinding }, name: unknown): Promise<ExportedTable> {
  const table = (await listTables(env)).find((each) => each.name === name);
  if (table === undefined) throw new ApiError('not_found', `There is no table ${name}.`);
  return table;
}

type Value = string | number | null | ArrayBuffer | number[];

function encodeCell(value: Value): ExportedCell {
  if (value === null || typeof value !== 'object') return value;
  return { base64: toBase64(new Uint8Array(value)) };
}

const maxArguments = 8192;

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += maxArguments)
    binary += String.fromCharCode(...bytes.subarray(start, start + maxArguments));
  return btoa(binary);
}

/** Decodes a text. `Uint8Array.from` would first create a list of all numbers. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Returns the next rows of a table in the order of its keys: at most 1 MB of values, or one larger row. */
export async function readTable(
  env: { DB: DatabaseBinding },
  { columns, keys, name }: ExportedTable,
  after: (string | number)[],
): Promise<ExportedRows> {
  const key = keys.map(quote).join(', ');
  const position = after.length === 0 ? '' : `WHERE (${key}) > (${after.map(() => '?').join(', ')})`;
  const rest = `FROM ${quote(name)} ${position} ORDER BY ${key} LIMIT`;
  const size = columns.map((column) => `COALESCE(octet_length(${quote(column)}), 0)`).join(' + ');
  const sizes = await query<{ size: number }>(env, `SELECT ${size} AS size ${rest} ${maxRowsPerCall}`, ...after);
  let [count, bytes] = [0, 0];
  for (const each of sizes) {
    bytes += each.size;
    if (count > 0 && bytes > maxBytesPerCall) break;
    count += 1;
  }
  if (count === 0) return { rows: [], next: null };
  const selected = [...columns.map(quote), ...keys.map((each, index) => `${quote(each)} AS "octavo_key_${index}"`)];
  const rows = await query<Record<string, Value>>(env, `SELECT ${selected.join(', ')} ${rest} ${count}`, ...after);
  const last = rows.at(-1);
  const isEnd = last === undefined || (count === sizes.length && sizes.length < maxRowsPerCall);
  return {
    rows: rows.map((row) => columns.map((column) => encodeCell(row[column] ?? null))),
    next: isEnd ? null : keys.map((_, index) => last[`octavo_key_${index}`] as string | number),
  };
}
