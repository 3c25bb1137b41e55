import type { BatchItem } from 'drizzle-orm/batch';
import type { Database } from './connect.ts';
import type { Row } from './row.ts';
import { Query } from './selection.ts';

export type Statement = BatchItem<'sqlite'> | Query<unknown>;

/** What is run as one batch: a statement, a list of them, or several of these by their names. */
export type Statements = Statement | readonly Statement[] | { readonly [name: string]: Statements };

type RowOf<Given> = Given extends Query<infer Record> ? (unknown extends Record ? Row : Record) : Row;

/** The rows that a batch gave, by the names of its statements; a list gives the rows of all of it in one. */
export type RowsOf<Given> = Given extends Statement
  ? RowOf<Given>[]
  : Given extends readonly (infer Each)[]
    ? RowOf<Each>[]
    : { [Name in keyof Given]: RowsOf<Given[Name]> };

/** Runs statements in their order as one batch, which is one round trip: all of them, or none. */
export async function runBatch<const Given extends Statements>(db: Database, given: Given): Promise<RowsOf<Given>> {
  // Drizzle's own batch cannot bind the parameters of statements written with sql``.
  const statements = listed(given);
  const bound = statements.map((statement) => prepare(db, statement));
  const answers = bound.length === 0 ? [] : await db.$client.batch<Row>(bound);
  const rows = answers.map(({ results }, index) => recordsOf(statements[index], results));
  return named(given, rows.values()) as RowsOf<Given>;
}

/** Runs a query on its own. */
export async function readRows<Record>(db: Database, query: Query<Record>): Promise<Record[]> {
  const { results } = await prepare(db, query).all<Row>();
  return results.map(query.read);
}

/** Its first row. */
export const readRow = async <Record>(db: Database, query: Query<Record>): Promise<Record | undefined> =>
  (await readRows(db, query))[0];

/** The row of a statement that cannot but give one. */
export function onlyRow<Record>([row]: Record[]): Record {
  if (row === undefined) throw new TypeError('A statement gave no row.');
  return row;
}

function prepare(db: Database, statement: Statement): D1PreparedStatement {
  const { sql, params } = queryOf(statement);
  return db.$client.prepare(sql).bind(...params);
}

const recordsOf = (statement: Statement | undefined, rows: Row[]): unknown[] =>
  statement instanceof Query ? rows.map(statement.read) : rows;

function listed(given: Statements): Statement[] {
  if (isStatement(given)) return [given];
  return isList(given) ? [...given] : Object.values(given).flatMap(listed);
}

type Named = unknown[] | { [name: string]: Named };

/** Takes the answers in the order in which `listed` gave their statements. */
function named(given: Statements, answers: Iterator<unknown[], undefined>): Named {
  if (isStatement(given)) return answers.next().value ?? [];
  if (isList(given)) return given.flatMap(() => answers.next().value ?? []);
  return Object.fromEntries(Object.entries(given).map(([name, part]) => [name, named(part, answers)]));
}

const isList = (given: Statements): given is readonly Statement[] => Array.isArray(given);

interface BoundText {
  sql: string;
  params: unknown[];
}

interface Source {
  toSQL?: () => BoundText;
  getQuery?: () => BoundText;
}

const isStatement = (given: Statements): given is Statement =>
  [(given as Source).toSQL, (given as Source).getQuery].some((method) => typeof method === 'function');

function queryOf(statement: Statement): BoundText {
  const source = statement as Source;
  const bound = source.toSQL?.() ?? source.getQuery?.();
  if (bound === undefined) throw new TypeError('A batch takes statements of drizzle only.');
  return bound;
}
