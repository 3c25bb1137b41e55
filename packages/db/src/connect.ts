import type { Cost, Metered } from '@octavo/schema';
import type { BatchItem } from 'drizzle-orm/batch';
import { DrizzleD1Database, SQLiteD1Session } from 'drizzle-orm/d1';
import { dialect } from './dialect.ts';
import type { BoundText, Row } from './selection.ts';
import { Query } from './selection.ts';

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

/** Returns the row of a statement that always has one. */
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

/** The part of D1 that Octavo uses, so that a compatible binding can replace it. Sessions are optional. */
export interface DatabaseBinding {
  prepare(sql: string): D1PreparedStatement;
  batch<Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]>;
  withSession?(constraintOrBookmark: string): DatabaseBinding & { getBookmark(): string | null };
  /** Waits until all writes are on disk, if the binding returns results before that. */
  sync?(): Promise<void>;
}

export interface Connection {
  db: Database;
  cost: Cost;
  /** The bookmark of the newest state that this connection has seen, or null if the binding has no sessions. */
  bookmark(): string | null;
  /**
   * Adds the cost and the bookmark of a call to another worker to this connection, and returns the value of the call.
   */
  absorb<Value>(result: Metered<Value>): Value;
}

export interface ConnectOptions {
  /** A `read` with a bookmark uses any replica that has reached it. Other reads and all writes use the primary. */
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

  prepareStatement(): D1PreparedStatement {
    const statement = this.#source.prepare(this.#sql);
    return this.#values.length === 0 ? statement : statement.bind(...this.#values);
  }

  async all<Row>(): Promise<D1Result<Row>> {
    return this.#recordCost(await this.prepareStatement().all<Row>());
  }

  async run<Row>(): Promise<D1Result<Row>> {
    return this.all<Row>();
  }

  #recordCost<Row>(result: D1Result<Row>): D1Result<Row> {
    this.#meter.count([result]);
    return result;
  }
}

function createMeter(): Meter {
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
  const { cost, count } = createMeter();
  const client = {
    prepare: (sql: string) => new MeteredStatement({ cost, count }, source, sql),
    async batch(statements: MeteredStatement[]) {
      const results = await source.batch(statements.map((statement) => statement.prepareStatement()));
      count(results);
      return results;
    },
  };
  let newest: string | null = null;
  return {
    db: createDatabase(client as unknown as D1Database),
    cost,
    bookmark: () => getLatest(newest, session?.getBookmark() ?? null),
    absorb({ value, cost: spent, bookmark }) {
      cost.trips += spent.trips;
      cost.rowsRead += spent.rowsRead;
      cost.rowsWritten += spent.rowsWritten;
      newest = getLatest(newest, bookmark);
      return value;
    },
  };
}

/** Bookmarks are strings that sort by time. */
const getLatest = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one;

/**
 * Drizzle over a metered session. `$client` is that session, for batches. Use `prepareQuery` for reads: drizzle
 * compiles its own reads for each request, and they report no cost. The `query` of a selection reads the rows of
 * `returning()`.
 */
export type Database = Pick<DrizzleD1Database, 'all' | 'delete' | 'insert' | 'run' | 'update'> & {
  $client: D1Database;
};

/** Like `drizzle(client)`, with our dialect. */
function createDatabase(client: D1Database): Database {
  const session = new SQLiteD1Session<Record<string, never>, Record<string, never>>(client, dialect, undefined);
  return Object.assign(new DrizzleD1Database('async', dialect, session, undefined), { $client: client });
}

interface PendingBatch {
  statements: D1PreparedStatement[];
  resolve: (results: D1Result[]) => void;
  reject: (cause: unknown) => void;
}

/**
 * Returns a database for concurrent reads. Batches that start in the same turn of the event loop are sent as one batch.
 * Only for reads: if one fails, all of them fail.
 */
export function batchReads({ $client: source }: Database): Database {
  let pendingReads: PendingBatch[] = [];
  const send = async () => {
    const requests = pendingReads;
    pendingReads = [];
    try {
      const results = (await source.batch(requests.flatMap(({ statements }) => statements))).values();
      for (const { statements, resolve } of requests) resolve([...results.take(statements.length)]);
    } catch (error) {
      for (const { reject } of requests) reject(error);
    }
  };
  const batch = (statements: D1PreparedStatement[]): Promise<D1Result[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<D1Result[]>();
    // The timer runs after everything that is queued in this turn of the event loop.
    if (pendingReads.length === 0) setTimeout(send, 0);
    pendingReads.push({ statements, resolve, reject });
    return promise;
  };
  const client = { prepare: (sql: string) => source.prepare(sql), batch };
  return createDatabase(client as unknown as D1Database);
}
