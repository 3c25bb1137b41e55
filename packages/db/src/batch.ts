import type { BatchItem } from 'drizzle-orm/batch';
import type { Database } from './connect.ts';
import type { Row } from './row.ts';

export type Statement = BatchItem<'sqlite'>;

/** What is run as one batch: a statement, a list of them, or several of these by their names. */
export type Statements = Statement | readonly Statement[] | { readonly [name: string]: Statements };

/** The rows that a batch gave, by the names of its statements; a list gives the rows of all of it in one. */
export type RowsOf<Given> = Given extends Statement | readonly Statement[]
  ? Row[]
  : { [Name in keyof Given]: RowsOf<Given[Name]> };

/** Runs statements in their order as one batch, which is one round trip: all of them, or none. */
export async function runBatch<Given extends Statements>(db: Database, given: Given): Promise<RowsOf<Given>> {
  // Drizzle's own batch cannot bind the parameters of statements written with sql``.
  const bound = listed(given).map((statement) => {
    const { sql, params } = queryOf(statement);
    return db.$client.prepare(sql).bind(...params);
  });
  const answers = bound.length === 0 ? [] : await db.$client.batch<Row>(bound);
  return named(given, answers.map(({ results }) => results).values()) as RowsOf<Given>;
}

function listed(given: Statements): Statement[] {
  if (isStatement(given)) return [given];
  return isList(given) ? [...given] : Object.values(given).flatMap(listed);
}

type Named = Row[] | { [name: string]: Named };

/** Takes the answers in the order in which `listed` gave their statements. */
function named(given: Statements, answers: Iterator<Row[], undefined>): Named {
  if (isStatement(given)) return answers.next().value ?? [];
  if (isList(given)) return given.flatMap(() => answers.next().value ?? []);
  return Object.fromEntries(Object.entries(given).map(([name, part]) => [name, named(part, answers)]));
}

const isList = (given: Statements): given is readonly Statement[] => Array.isArray(given);

interface Query {
  sql: string;
  params: unknown[];
}

interface Source {
  toSQL?: () => Query;
  getQuery?: () => Query;
}

const isStatement = (given: Statements): given is Statement =>
  [(given as Source).toSQL, (given as Source).getQuery].some((method) => typeof method === 'function');

function queryOf(statement: Statement): Query {
  const source = statement as Source;
  const query = source.toSQL?.() ?? source.getQuery?.();
  if (query === undefined) throw new TypeError('A batch takes statements of drizzle only.');
  return query;
}
