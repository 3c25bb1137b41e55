import type { SQLWrapper } from 'drizzle-orm';
import { Placeholder, SQL } from 'drizzle-orm';
import type { SQLiteSelectBuilder } from 'drizzle-orm/sqlite-core';
import { QueryBuilder } from 'drizzle-orm/sqlite-core';
import { dialect } from './dialect.ts';
import type { BoundText, Fields, RecordOf, Row, Selection } from './selection.ts';
import { Query } from './selection.ts';

/**
 * A value that is bound when a `prepareQuery` query is used. It is bound without conversion: pass 1 for true, and JSON
 * for a list.
 */
export type Parameter<Value extends Bindable> = Placeholder<string, Value>;

type Bindable = string | number | null;
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
): ((...values: Values) => Query<Record>) =>
  compileOnce(build.length, (...placeholders) =>
    build(
      ...(placeholders.map((placeholder) => new SQL([placeholder])) as { [Place in keyof Values]: SQL<Values[Place]> }),
    ),
  );

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
