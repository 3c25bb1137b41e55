import type { Bookmark, Cost, Metered } from '@octavo/schema';
import { createCost, findTransientError, findUnavailable, pauseMessage, startCall } from '@octavo/schema';
import { DrizzleD1Database, SQLiteD1Session } from 'drizzle-orm/d1';
import { dialect } from './dialect.ts';

/** The part of D1 that Octavo uses, so that a compatible binding can replace it. Sessions are optional. */
export interface DatabaseBinding {
  prepare(sql: string): D1PreparedStatement;
  batch<Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]>;
  withSession?(constraintOrBookmark: string): DatabaseSession;
  /** Waits until all writes are on disk, if the binding returns results before that. */
  sync?(): Promise<void>;
  /** Counts the queries of an invocation that stops at a limit and leaves the rest of its work to later invocations. */
  budget?: QueryBudget;
  /** Reads the texts of documents that were moved to a bucket. Only the content worker has it. */
  texts?: TextStore;
  /** Whether the number of queries in an invocation is not limited, as on one machine. */
  isUnlimited?: boolean;
}

interface DatabaseSession extends DatabaseBinding {
  getBookmark(): string | null;
}

export interface Connection {
  db: Database;
  cost: Cost;
  /** The bookmark of the newest state that this connection has seen. Null if the binding has no sessions. */
  bookmark(): Bookmark;
  /**
   * Calls another worker and returns the value of the call. `call` receives the bookmark of the state that the other
   * worker must have reached. The cost and the bookmark of the call are added to this connection.
   */
  callWorker<Value>(call: (bookmark: Bookmark) => Promise<Metered<Value>>): Promise<Value>;
  /** The builds of the workers that this connection called; '' for a worker that reports none. */
  builds: Set<string>;
  /**
   * Returns a connection in the same session for reads at the same time. The cost of the new connection is counted
   * separately until it is joined.
   */
  fork(): ForkedConnection;
}

interface ForkedConnection extends Connection {
  /** Adds the cost to the connection that was forked. Call it when the results are used. */
  join(): void;
}

export interface ConnectOptions {
  /**
   * The kind of access. A `read` or a `visit` with a bookmark uses any replica that has reached the bookmark. Without a
   * bookmark, a `visit` uses the nearest replica, which can be behind, and a `read` uses the primary. A `write` always
   * uses the primary.
   */
  intent: 'read' | 'visit' | 'write';
  bookmark?: Bookmark | undefined;
  /** Whether the first round trip fails while an installation is being imported. API requests set this. */
  requiresComplete?: boolean;
}

/**
 * Runs the statements of one round trip. `run` is called with the session for each attempt, and returns a result for
 * each statement.
 */
type RunTrip = <Row>(
  sqls: string[],
  run: (source: DatabaseBinding) => Promise<D1Result<Row>[]>,
) => Promise<D1Result<Row>[]>;

class MeteredStatement {
  readonly #runTrip: RunTrip;
  readonly sql: string;
  readonly #values: unknown[];

  constructor(runTrip: RunTrip, sql: string, values: unknown[] = []) {
    this.#runTrip = runTrip;
    this.sql = sql;
    this.#values = values;
  }

  bind(...values: unknown[]): MeteredStatement {
    return new MeteredStatement(this.#runTrip, this.sql, values);
  }

  prepareStatement(source: DatabaseBinding): D1PreparedStatement {
    const statement = source.prepare(this.sql);
    return this.#values.length === 0 ? statement : statement.bind(...this.#values);
  }

  async all<Row>(): Promise<D1Result<Row>> {
    const [result] = await this.#runTrip([this.sql], async (source) => [
      await this.prepareStatement(source).all<Row>(),
    ]);
    if (result === undefined) throw new TypeError('The statement returned no result.');
    return result;
  }

  async run<Row>(): Promise<D1Result<Row>> {
    return this.all<Row>();
  }
}

function startRoundTrip(cost: Cost): (results: { meta: D1Meta }[]) => void {
  const endCall = startCall(cost);
  return (results) => {
    const getSum = (count: (meta: D1Meta) => number | undefined) =>
      results.reduce((sum, { meta }) => sum + (count(meta) ?? 0), 0);
    endCall({
      trips: 1,
      sequentialTrips: 1,
      rowsRead: getSum((meta) => meta.rows_read),
      rowsWritten: getSum((meta) => meta.rows_written),
    });
  };
}

/** Returns the client of a connection. */
const createClient = (runTrip: RunTrip) => ({
  prepare: (sql: string) => new MeteredStatement(runTrip, sql),
  batch: (statements: MeteredStatement[]) =>
    runTrip(
      statements.map(({ sql }) => sql),
      (source) => source.batch(statements.map((statement) => statement.prepareStatement(source))),
    ),
});

/** The error of D1 for a bookmark that is malformed, or of another database. Clients can send any bookmark. */
const refusedBookmark = /bookmark/i;

/**
 * A session of D1. It starts with a bookmark that a client sent. If D1 refuses this bookmark, the session starts again
 * on the primary, which has the newest state.
 */
class Session {
  readonly #binding: DatabaseBinding;
  readonly #atBookmark: DatabaseSession | undefined;
  #source: DatabaseSession | undefined;

  constructor(binding: DatabaseBinding, { intent, bookmark }: ConnectOptions) {
    this.#binding = binding;
    // Without a bookmark, a read uses the primary, so that clients which send no bookmarks still see their own writes.
    const constraint = intent === 'write' ? undefined : (bookmark ?? undefined);
    this.#source = binding.withSession?.(constraint ?? startsWithoutBookmark[intent]);
    this.#atBookmark = constraint === undefined ? undefined : this.#source;
  }

  async run<Value>(call: (source: DatabaseBinding) => Promise<Value>): Promise<Value> {
    const source = this.#source;
    try {
      return await call(source ?? this.#binding);
    } catch (error) {
      const isRefused = error instanceof Error && refusedBookmark.test(error.message);
      if (source === undefined || source !== this.#atBookmark || !isRefused) throw error;
      if (this.#source === source) this.#source = this.#binding.withSession?.(startsWithoutBookmark.write);
      return call(this.#source ?? this.#binding);
    }
  }

  getBookmark = (): Bookmark => this.#source?.getBookmark() ?? null;
}

/** Opens the database for one request or one job: a D1 session, its cost, and drizzle over it. */
export function connect(binding: DatabaseBinding, options: ConnectOptions): Connection {
  const session = new Session(binding, options);
  let newest: Bookmark = null;
  const getBookmark = () => getLatestBookmark(newest, session.getBookmark());
  const builds = new Set<string>();
  let isComplete = options.requiresComplete !== true;
  /** Starts a separate check, unless the installation was already checked or one of the statements checks it. */
  const checkComplete = (sqls: string[]): Promise<unknown> | undefined =>
    isComplete || sqls.some(containsCompleteCheck)
      ? undefined
      : session.run((source) => source.prepare(completeCheck).all());
  const open = (): Connection => {
    const cost = createCost();
    const runRoundTrip: RunTrip = async (sqls, run) => {
      const endTrip = startRoundTrip(cost);
      const results = await retryReads(sqls, async () => {
        binding.budget?.spend(sqls.length);
        const check = checkComplete(sqls);
        // A write must not run if the check fails.
        if (check !== undefined && !sqls.every(isRead)) await check;
        const [found] = await Promise.all([session.run(run), check]);
        return found;
      });
      isComplete = true;
      endTrip(results);
      return fillMovedTexts(sqls, results, binding.texts);
    };
    return {
      builds,
      db: createDatabase(createClient(runRoundTrip) as unknown as D1Database),
      cost,
      bookmark: getBookmark,
      async callWorker(call) {
        const endCall = startCall(cost);
        const { value, cost: spent, bookmark, build = '' } = await call(getBookmark());
        if (build !== null) builds.add(build);
        // Workers of the previous release do not report sequential round trips.
        endCall({ ...spent, sequentialTrips: spent.sequentialTrips ?? spent.trips });
        newest = getLatestBookmark(newest, bookmark);
        return value;
      },
      fork() {
        const endCall = startCall(cost);
        const fork = open();
        return { ...fork, join: () => endCall(fork.cost) };
      },
    };
  };
  return open();
}

const startsWithoutBookmark = { read: 'first-primary', visit: 'first-unconstrained', write: 'first-primary' };

/** Returns the later bookmark. Bookmarks are strings that sort by time. */
export const getLatestBookmark = (one: Bookmark, other: Bookmark): Bookmark =>
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

const sendLater = (send: () => void): unknown => setTimeout(send, 0);

/**
 * Returns a database for concurrent reads. Reads that start in the same turn of the event loop are sent as one batch.
 * With `queueMicrotask` as `schedule`, a batch contains only the reads that start before the running code first waits.
 * Only for reads: if one fails, all of them fail.
 */
export function batchReads({ $client: source }: Database, schedule = sendLater): Database {
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
    if (pendingReads.length === 0) schedule(send);
    pendingReads.push({ statements, resolve, reject });
    return promise;
  };
  const prepare = (sql: string) => {
    const bind = (...values: unknown[]) => {
      const statement = source.prepare(sql).bind(...values);
      return Object.assign(statement, { all: async () => (await batch([statement]))[0] });
    };
    return { bind };
  };
  const client = { prepare, batch };
  return createDatabase(client as unknown as D1Database);
}

const maxTries = 4;
const firstDelayMilliseconds = 50;

/**
 * Whether a statement writes nothing. A statement that contains the name of a writing command counts as a write, even
 * if it only reads.
 */
const isRead = (sql: string): boolean =>
  /^\s*(?:SELECT|VALUES|WITH)\b/i.test(sql) && !/\b(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql);

/**
 * Runs statements. If a transient error occurs and all statements only read, runs them again. The delays are random, so
 * that requests which failed together are not repeated together. @throws ApiError unavailable, after the last attempt,
 * or after the first attempt if a statement writes
 */
export async function retryReads<Value>(statements: string[], run: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const kind = findTransientError(error);
      if (kind === undefined) throw error;
      const onlyReads = statements.every(isRead);
      if (!onlyReads || kind === 'overloaded' || tries === maxTries)
        throw findUnavailable(error, onlyReads ? 'read' : 'write');
      await waitRandomly(firstDelayMilliseconds * 4 ** (tries - 1));
    }
  }
}

function waitRandomly(milliseconds: number): Promise<void> {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return new Promise((resolve) => setTimeout(resolve, (milliseconds * random) / 2 ** 32));
}

/**
 * Maximum number of queries in one invocation. D1 refuses more than 1,000. The difference is reserved for work that
 * does not check the budget before it starts.
 */
const maxQueries = 800;

/** The number of queries that a run of a cron, or a batch of a queue, may still start. */
export class QueryBudget {
  #left = maxQueries;

  spend(queries: number): void {
    this.#left -= queries;
  }

  has(queries: number): boolean {
    return this.#left >= queries;
  }
}

/*
 * The text of a document is in the column `markdown`, or in an object of a bucket. In the second case, `markdown` is a
 * BLOB with the name of the object. No text can be mistaken for such a name, because no text is stored as a BLOB.
 * Connections replace the names in the rows that they return with the texts, so other code does not see the difference.
 */

/** Reads texts that were moved to a bucket. */
export interface TextStore {
  /** Returns the texts of all these objects. @throws ApiError unavailable */
  read(objects: string[]): Promise<ReadonlyMap<string, string>>;
}

/** Only rows of statements that name this table can contain texts of documents. */
const documentsTable = 'documents';

type Row = Record<string, unknown>;

/** Returns the name in a cell. D1 returns a BLOB as a list of numbers, and has no other values that are lists. */
const readName = (cell: unknown): string | undefined =>
  Array.isArray(cell) ? String.fromCharCode(...(cell as number[])) : undefined;

function findNames(rows: Row[]): string[] {
  const names: string[] = [];
  for (const row of rows)
    for (const cell of Object.values(row)) {
      const name = readName(cell);
      if (name !== undefined) names.push(name);
    }
  return names;
}

/** Returns the results of statements with the texts of all documents. At most one call of `texts`. */
async function fillMovedTexts<Result extends { results: unknown[] }>(
  sqls: string[],
  results: Result[],
  texts: TextStore | undefined,
): Promise<Result[]> {
  const names = results.map(({ results: rows }, index) =>
    sqls[index]?.includes(documentsTable) ? findNames(rows as Row[]) : [],
  );
  if (names.every(({ length }) => length === 0)) return results;
  if (texts === undefined) throw new TypeError('This worker cannot read the texts that were moved to the bucket.');
  const textsByName = await texts.read([...new Set(names.flat())]);
  const fillCell = (cell: unknown): unknown => {
    const name = readName(cell);
    return name === undefined ? cell : textsByName.get(name);
  };
  const fill = (row: Row): Row =>
    Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, fillCell(cell)]));
  return results.map((result, index) =>
    names[index]?.length === 0 ? result : { ...result, results: (result.results as Row[]).map(fill) },
  );
}

/** The table that contains a row while an installation is being imported, and is empty otherwise. */
const importsTable = 'installation_imports';

/**
 * A statement that fails while an installation is being imported, because only some of its rows exist then. SQLite
 * rejects the invalid JSON path and includes it in the error. At other times, the statement reads no rows.
 */
export const completeCheck = `SELECT json_extract('{}', '${pauseMessage}' || id) FROM ${importsTable} WHERE id > '' LIMIT 1`;

/** Whether a statement contains `completeCheck`, so that no separate check is needed. */
const containsCompleteCheck = (statement: string): boolean => statement.includes(importsTable);
