import type { Cost, Metered } from '@octavo/schema';
import type { BatchItem } from 'drizzle-orm/batch';
import { DrizzleD1Database, SQLiteD1Session } from 'drizzle-orm/d1';
import { dialect } from './dialect.ts';
import type { BoundText, Row } from './selection.ts';
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

/** The part of D1 that Octavo uses, so that a compatible binding can stand in. Sessions are optional. */
export interface DatabaseBinding {
  prepare(sql: string): D1PreparedStatement;
  batch<Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]>;
  withSession?(constraintOrBookmark: string): DatabaseBinding & { getBookmark(): string | null };
  /** Waits until what was written is on disk, where it is not by the time that a statement gives its answer. */
  sync?(): Promise<void>;
}

export interface Connection {
  db: Database;
  cost: Cost;
  /** The bookmark of the newest state that this connection has seen, or null where the binding has no sessions. */
  bookmark(): string | null;
  /** Adds what a service of another worker cost, takes over its bookmark and gives its value. */
  absorb<Value>(answer: Metered<Value>): Value;
}

export interface ConnectOptions {
  /** A `read` may be answered by any replica that has reached `bookmark`, without one by the primary, as a `write` is. */
  intent: 'read' | 'write';
  bookmark?: string | undefined;
}

interface Meter {
  cost: Cost;
  count(results: { meta: D1Meta }[]): void;
}

class MeteredStatement {
  readonly #meter: Meter;
  readonly #source: DatabaseBinding;
  readonly #sql: string;
  readonly #values: unknown[];

  constructor(meter: Meter, source: DatabaseBinding, sql: string, values: unknown[] = []) {
    this.#meter = meter;
    this.#source = source;
    this.#sql = sql;
    this.#values = values;
  }

  bind(...values: unknown[]): MeteredStatement {
    return new MeteredStatement(this.#meter, this.#source, this.#sql, values);
  }

  prepared(): D1PreparedStatement {
    const statement = this.#source.prepare(this.#sql);
    return this.#values.length === 0 ? statement : statement.bind(...this.#values);
  }

  async all<Row>(): Promise<D1Result<Row>> {
    return this.#counted(await this.prepared().all<Row>());
  }

  async run<Row>(): Promise<D1Result<Row>> {
    return this.all<Row>();
  }

  #counted<Row>(result: D1Result<Row>): D1Result<Row> {
    this.#meter.count([result]);
    return result;
  }
}

function meter(): Meter {
  const cost: Cost = { trips: 0, rowsRead: 0, rowsWritten: 0 };
  return {
    cost,
    count(results) {
      cost.trips += 1;
      for (const { meta } of results) {
        cost.rowsRead += meta.rows_read ?? 0;
        cost.rowsWritten += meta.rows_written ?? 0;
      }
    },
  };
}

/** Opens the database for one request or one job: a D1 session, its cost, and drizzle over it. */
export function connect(binding: DatabaseBinding, options: ConnectOptions): Connection {
  // A client that passes no bookmark must still see what it has just written, so it never reads from a replica.
  const start = options.intent === 'read' ? (options.bookmark ?? 'first-primary') : 'first-primary';
  const session = binding.withSession?.(start);
  const source: DatabaseBinding = session ?? binding;
  const { cost, count } = meter();
  const client = {
    prepare: (sql: string) => new MeteredStatement({ cost, count }, source, sql),
    async batch(statements: MeteredStatement[]) {
      const results = await source.batch(statements.map((statement) => statement.prepared()));
      count(results);
      return results;
    },
  };
  let newest: string | null = null;
  return {
    db: databaseOver(client as unknown as D1Database),
    cost,
    bookmark: () => latest(newest, session?.getBookmark() ?? null),
    absorb({ value, cost: spent, bookmark }) {
      cost.trips += spent.trips;
      cost.rowsRead += spent.rowsRead;
      cost.rowsWritten += spent.rowsWritten;
      newest = latest(newest, bookmark);
      return value;
    },
  };
}

/** Bookmarks sort by time as strings. */
const latest = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one;

/**
 * Drizzle over a metered session; `$client` is that session, for batches. It writes and runs text. Reads are `prepared`:
 * drizzle's own would be compiled for each request, and read rows in a
 * way that reports no cost. A write with `returning()` is read by the `query` of a selection.
 */
export type Database = Pick<DrizzleD1Database, 'all' | 'delete' | 'insert' | 'run' | 'update'> & {
  $client: D1Database;
};

/** As `drizzle(client)` makes it, with our dialect. */
function databaseOver(client: D1Database): Database {
  const session = new SQLiteD1Session<Record<string, never>, Record<string, never>>(client, dialect, undefined);
  return Object.assign(new DrizzleD1Database('async', dialect, session, undefined), { $client: client });
}

interface Waiting {
  statements: D1PreparedStatement[];
  resolve: (results: D1Result[]) => void;
  reject: (cause: unknown) => void;
}

/**
 * The same database for reads that go on beside each other: the batches that are asked for in one turn are sent as one,
 * which is one round trip. For reads alone, since one that fails fails all of them.
 */
export function gatherReads({ $client: source }: Database): Database {
  let waiting: Waiting[] = [];
  const send = async () => {
    const sent = waiting;
    waiting = [];
    try {
      const results = (await source.batch(sent.flatMap(({ statements }) => statements))).values();
      for (const { statements, resolve } of sent) resolve([...results.take(statements.length)]);
    } catch (error) {
      for (const { reject } of sent) reject(error);
    }
  };
  const batch = (statements: D1PreparedStatement[]): Promise<D1Result[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<D1Result[]>();
    // What others of the same turn ask for comes before a timer does.
    if (waiting.length === 0) setTimeout(send, 0);
    waiting.push({ statements, resolve, reject });
    return promise;
  };
  const client = { prepare: (sql: string) => source.prepare(sql), batch };
  return databaseOver(client as unknown as D1Database);
}
