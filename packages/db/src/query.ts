import type { SQLWrapper } from 'drizzle-orm';
import { Placeholder, SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { SQLiteSelectBuilder } from 'drizzle-orm/sqlite-core';
import { QueryBuilder } from 'drizzle-orm/sqlite-core';
import type { Database } from './connect.ts';
import { dialect } from './dialect.ts';
import type { BoundText, Fields, RecordOf, Row, Selection } from './selection.ts';
import { Query } from './selection.ts';

/**
 * A value that is bound when a `prepareQuery` query is used. It is bound without conversion: pass 1 for true, and JSON
 * for a list.
 */
export type Parameter<Value extends Bindable> = Placeholder<string, Value>;

type Bindable = string | number | null;

/**
 * A value that a statement reads from the database itself. Without it, an earlier round trip would have to read the
 * value. `name` identifies the expression that `build` returns for the values.
 */
export class Lookup<Value> implements SQLWrapper {
  declare readonly type: Value;
  readonly name: string;
  readonly build: (...values: SQL[]) => SQL;
  readonly values: Bindable[];

  constructor(name: string, build: Lookup<Value>['build'], values: Bindable[]) {
    this.name = name;
    this.build = build;
    this.values = values;
  }

  getSQL(): SQL {
    return this.build(...this.values.map((value) => sql`${value}`));
  }

  shouldOmitSQLParens(): boolean {
    return true;
  }
}

/** The values of a prepared statement. Each value can be replaced by a `Lookup`. */
type LookedUp<Values extends unknown[]> = { [Place in keyof Values]: Values[Place] | Lookup<Values[Place]> };
type Parameters<Values extends Bindable[]> = { [Index in keyof Values]: Parameter<Values[Index]> };
type Select = SQLiteSelectBuilder<Record<string, SQL.Aliased>, 'sync', void, 'qb'>;

/**
 * Prepares a read with drizzle's query builder. `build` runs once, at the first use of the query, and the SQL text is
 * reused with the values of each use. `select` already selects the columns of `row`, each under its own name.
 *
 *   const [m, u] = [aliasedTable(members, 'm'), aliasedTable(users, 'u')];
 *   const memberRow = selection({ id: u.id, email: u.email, role: m.role });
 *
 *   const membersWithRole = prepareQuery(
 *     memberRow,
 *     (select, organization: Parameter<OrganizationId>, role: Parameter<Role>, limit: Parameter<number>) =>
 *       select
 *         .from(m)
 *         .innerJoin(u, eq(u.id, m.user))
 *         .where(and(eq(m.organization, organization), eq(m.role, role)))
 *         .orderBy(m.joinedAt)
 *         .limit(limit),
 *   );
 *
 *   const rows = await readRows(db, membersWithRole(organization, 'admin', 50)); // { id: UserId, email: string, … }[]
 *   const { admins } = await runBatch(db, { admins: membersWithRole(organization, 'admin', 50), … });
 *
 * - A table's whole rows: `selection(getTableColumns(teams))`.
 * - A list: pass JSON and write `inArray(m.user, sql`(SELECT value FROM json_each(${users}))`)`.
 * - A condition of a partial index must be literal (sql`state = 'waiting'`): SQLite does not use the index for a
 *   parameter.
 * - `crossJoin` keeps the order of its tables, as CROSS JOIN does; `innerJoin` leaves the order to SQLite.
 * - The builder has no INDEXED BY, and a query whose text depends on its input is not prepared: write these as
 *   `row.query(sql`…`)`, or as a `prepareStatement` when the text is always the same.
 */
export const prepareQuery = <const Of extends Fields, Values extends Bindable[]>(
  row: Selection<Of>,
  build: (select: Select, ...values: Parameters<Values>) => SQLWrapper,
): ((...values: Values) => Query<RecordOf<Of>>) =>
  compileOnce(build.length - 1, (...values) =>
    row.query(build(builder.select(row.columns), ...(values as Parameters<Values>)).getSQL()),
  );

const builder = new QueryBuilder(dialect);

/**
 * Prepares a statement in SQL text. `build` runs once, at the first use of the statement, with an expression for each
 * value. If the text depends on the input, make one statement for each form.
 *
 *   const spaceById = prepareStatement((id: SQL<SpaceId>) =>
 *     spaceRow.query(sql`SELECT ${spaceRow} FROM spaces s WHERE s.id = ${id}`),
 *   );
 *   const space = await readRow(db, spaceById(id));
 */
export const prepareStatement = <Values extends unknown[], Record>(
  build: (...values: { [Place in keyof Values]: SQL<Values[Place]> }) => Query<Record>,
): ((...values: LookedUp<Values>) => Query<Record>) => {
  const forms = new Map<string, (...values: unknown[]) => Query<Record>>();
  return (...values) => {
    const form = values.map((value) => (value instanceof Lookup ? value.name : '')).join();
    let query = forms.get(form);
    if (query === undefined) {
      query = prepareForm(build, values);
      forms.set(form, query);
    }
    return query(...values.flatMap((value) => (value instanceof Lookup ? value.values : [value])));
  };
};

/** Prepares a statement in which the expressions of lookups replace their values. */
function prepareForm<Values extends unknown[], Record>(
  build: (...values: { [Place in keyof Values]: SQL<Values[Place]> }) => Query<Record>,
  values: unknown[],
): (...values: unknown[]) => Query<Record> {
  const counts = values.map((value) => (value instanceof Lookup ? value.values.length : 1));
  const count = counts.reduce((sum, each) => sum + each, 0);
  return compileOnce(count, (...placeholders) => {
    const remaining = placeholders.map((placeholder) => new SQL([placeholder])).values();
    const expressions = values.map((value, index) => {
      const own = [...remaining.take(counts[index] ?? 0)];
      return value instanceof Lookup ? value.build(...own) : own[0];
    });
    return build(...(expressions as { [Place in keyof Values]: SQL<Values[Place]> }));
  });
}

/** Maximum number of parameters of a D1 statement. */
const maxParameters = 100;

/**
 * Prepares a statement in SQL text that finds rows by a list of keys, which have these columns. `build` gets a subquery
 * of the keys, and an expression for each other value. Returns as many queries as are needed for the keys.
 *
 * D1 counts each row of `json_each` as a row read, but not the rows of VALUES. So this reads half as many rows as a
 * list in JSON, if each key has one row.
 *
 *   const partsByKey = prepareForKeys(['key', 'part'], (keys) =>
 *     partRow.query(sql`SELECT ${partRow} FROM ${keys} k CROSS JOIN parts p ON p.key = k.key AND p.part = k.part`),
 *   );
 *   const { parts } = await runBatch(db, { parts: partsByKey([['a', 0], ['a', 1]]) });
 */
export function prepareForKeys<Values extends Bindable[], Record>(
  columns: string[],
  build: (keys: SQL, ...values: { [Place in keyof Values]: SQL<Values[Place]> }) => Query<Record>,
): (keys: Bindable[][], ...values: Values) => Query<Record>[] {
  const count = build.length - 1;
  const keysPerQuery = Math.floor((maxParameters - count) / columns.length);
  const length = keysPerQuery * columns.length;
  const prepared = compileOnce<Bindable[], Record>(length + count, (...placeholders) => {
    const rows = Array.from(
      { length: keysPerQuery },
      (_, row) => sql`(${sql.join(placeholders.slice(row * columns.length, (row + 1) * columns.length), sql`, `)})`,
    );
    const names = sql.raw(columns.map((column, index) => `column${index + 1} AS ${column}`).join(', '));
    const values = placeholders.slice(length).map((placeholder) => new SQL([placeholder]));
    return build(
      sql`(SELECT ${names} FROM (VALUES ${sql.join(rows, sql`, `)}))`,
      ...(values as { [Place in keyof Values]: SQL<Values[Place]> }),
    );
  });
  return (keys, ...values) =>
    Array.from({ length: Math.ceil(keys.length / keysPerQuery) }, (_, index) => {
      const some = keys.slice(index * keysPerQuery, (index + 1) * keysPerQuery).flat();
      // Fill the unused placeholders with NULL, which equals no row.
      return prepared(...some, ...new Array<null>(length - some.length).fill(null), ...values);
    });
}

/** Compiles a query at its first use, with a placeholder for each of its values. */
function compileOnce<Values extends unknown[], Record>(
  count: number,
  build: (...values: Placeholder[]) => Query<Record>,
): (...values: Values) => Query<Record> {
  let compiled: { text: BoundText; read: (row: Row) => Record } | undefined;
  return (...values) => {
    compiled ??= compile(build(...Array.from({ length: count }, (_, index) => new Placeholder(String(index)))));
    const { text, read } = compiled;
    const params = text.params.map((param) => (param instanceof Placeholder ? values[Number(param.name)] : param));
    return new Query({ sql: text.sql, params }, read);
  };
}

const compile = <Record>(query: Query<Record>) => ({ text: query.getQuery(), read: query.read });

export type Statement = BatchItem<'sqlite'> | Query<unknown>;

/** The statements of a batch: one statement, a list, or an object of these by name. */
export type Statements = Statement | readonly Statement[] | { readonly [name: string]: Statements };

type RowOf<Given> = Given extends Query<infer Record> ? (unknown extends Record ? Row : Record) : Row;

/** The rows of a batch, by the names of its statements. The rows of a list are concatenated. */
export type RowsOf<Given> = Given extends Statement
  ? RowOf<Given>[]
  : Given extends readonly (infer Each)[]
    ? RowOf<Each>[]
    : { [Name in keyof Given]: RowsOf<Given[Name]> };

/** Runs statements in order as one batch: one round trip and one transaction. */
export async function runBatch<const Given extends Statements>(db: Database, input: Given): Promise<RowsOf<Given>> {
  // Drizzle's own batch cannot bind the parameters of statements written with sql``.
  const statements = toList(input);
  const bound = statements.map((statement) => prepare(db, statement));
  const results = bound.length === 0 ? [] : await db.$client.batch<Row>(bound);
  const rows = results.map((result, index) => readRecords(statements[index], result.results));
  return nameResults(input, rows.values()) as RowsOf<Given>;
}

/** Runs one query. */
export async function readRows<Record>(db: Database, query: Query<Record>): Promise<Record[]> {
  const { results } = await prepare(db, query).all<Row>();
  return results.map(query.read);
}

/** Runs one query and returns its first row. */
export const readRow = async <Record>(db: Database, query: Query<Record>): Promise<Record | undefined> =>
  (await readRows(db, query))[0];

/** Returns the row of a statement that always returns exactly one row. */
export function getOnlyRow<Record>([row]: Record[]): Record {
  if (row === undefined) throw new TypeError('The statement returned no row.');
  return row;
}

function prepare(db: Database, statement: Statement): D1PreparedStatement {
  const { sql, params } = toBoundText(statement);
  return db.$client.prepare(sql).bind(...params);
}

const readRecords = (statement: Statement | undefined, rows: Row[]): unknown[] =>
  statement instanceof Query ? rows.map(statement.read) : rows;

function toList(input: Statements): Statement[] {
  if (isStatement(input)) return [input];
  return isList(input) ? [...input] : Object.values(input).flatMap(toList);
}

type NamedResults = unknown[] | { [name: string]: NamedResults };

/** Assigns the results, which are in the order of `toList`, to the names. */
function nameResults(input: Statements, results: Iterator<unknown[], undefined>): NamedResults {
  if (isStatement(input)) return results.next().value ?? [];
  if (isList(input)) return input.flatMap(() => results.next().value ?? []);
  return Object.fromEntries(Object.entries(input).map(([name, part]) => [name, nameResults(part, results)]));
}

const isList = (input: Statements): input is readonly Statement[] => Array.isArray(input);

interface Source {
  toSQL?: () => BoundText;
  getQuery?: () => BoundText;
}

const isStatement = (input: Statements): input is Statement =>
  [(input as Source).toSQL, (input as Source).getQuery].some((method) => typeof method === 'function');

function toBoundText(statement: Statement): BoundText {
  const source = statement as Source;
  const bound = source.toSQL?.() ?? source.getQuery?.();
  if (bound === undefined) throw new TypeError('A batch accepts only drizzle statements.');
  return bound;
}
