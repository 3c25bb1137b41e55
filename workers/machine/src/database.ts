import { type ObjectRow, type Shape, toLists, toListsWithColumnNames } from './collect-rows.ts';
import {
  type BoundStatement,
  type BoundValue,
  type DatabaseOptions,
  type StatementResult,
  StatementRunner,
  toBoundValues,
} from './run-statement.ts';

/*
 * Implements D1's interface on the database of a Durable Object, for code that runs inside this object. A statement
 * runs synchronously within the call, except that a read of many rows yields to the event loop.
 * test/platform/database-parity compares both implementations.
 *
 * Differences from D1: the rows of reads are frozen, because later reads return the same objects. A read-only statement
 * that has read too many rows is stopped when it returns its next row. Writes, and sorting or counting before the first
 * row, cannot be stopped; slow ones are only logged. Foreign keys that a batch defers are checked at its end, in all
 * tables. If a statement with OR ROLLBACK violates a constraint, or if a foreign key that is declared INITIALLY
 * DEFERRED is violated, the object ends, and its unsent responses are lost.
 */

const toError = (code: string, message: string): Error =>
  new Error(`${code}: ${message}`, { cause: new Error(message) });

const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether the storage refused a write with an error that callers may see, such as a full disk. */
const isApiError = (error: unknown): boolean => error instanceof Error && error.name === 'ApiError';

/** Prepares and runs statements. It is either a session, or the database itself, which has no bookmark. */
class Session {
  readonly runner: StatementRunner;
  readonly #initialBookmark: string | null;
  #writesSeen: number | undefined;

  constructor(runner: StatementRunner, initialBookmark: string | null) {
    this.runner = runner;
    this.#initialBookmark = initialBookmark;
  }

  prepare(sql: string): D1PreparedStatement {
    return new Statement(this, sql, []) as unknown as D1PreparedStatement;
  }

  async batch<Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]> {
    if (this.runner.turn.isOver) await this.runner.turn.next();
    return (await this.query(statements as unknown as BoundStatement[])) as unknown as D1Result<Row>[];
  }

  getBookmark(): string | null {
    if (this.#writesSeen === undefined) return this.#initialBookmark;
    const position = this.runner.getBookmark(this.#writesSeen);
    return this.#initialBookmark !== null && this.#initialBookmark > position ? this.#initialBookmark : position;
  }

  /** Runs statements and returns their rows as objects. */
  query(statements: readonly BoundStatement[]): Promise<StatementResult<ObjectRow>[]> {
    return this.#trackWrites(() => this.runner.query(statements));
  }

  run<Row>(statements: readonly BoundStatement[], shape: Shape<Row>): Promise<StatementResult<Row>[]> {
    return this.#trackWrites(() => this.runner.run(statements, shape));
  }

  async #trackWrites<Results>(run: () => Results | Promise<Results>): Promise<Results> {
    try {
      const results = await run();
      this.#writesSeen = this.runner.writes;
      return results;
    } catch (error) {
      throw isApiError(error) ? error : toError('D1_ERROR', getMessage(error));
    }
  }
}

class Statement implements BoundStatement {
  readonly #session: Session;
  readonly statement: string;
  readonly params: BoundValue[];

  constructor(session: Session, statement: string, params: BoundValue[]) {
    this.#session = session;
    this.statement = statement;
    this.params = params;
  }

  bind(...values: unknown[]): Statement {
    return new Statement(this.#session, this.statement, toBoundValues(values));
  }

  async all(): Promise<StatementResult<ObjectRow>> {
    return this.#runOnce(() => this.#session.query([this]));
  }

  run(): Promise<StatementResult<ObjectRow>> {
    return this.all();
  }

  async raw(options?: { columnNames?: boolean }): Promise<unknown[][]> {
    const shape: Shape<unknown[]> = options?.columnNames ? toListsWithColumnNames : toLists;
    return (await this.#runOnce(() => this.#session.run([this], shape))).results;
  }

  async first(column?: string): Promise<unknown> {
    const [row] = (await this.all()).results;
    if (row === undefined) return null;
    if (column === undefined) return row;
    if (row[column] === undefined)
      throw new Error(`D1_COLUMN_NOTFOUND: Column not found (${column})`, { cause: new Error('Column not found') });
    return row[column];
  }

  async #runOnce<Row>(run: () => Promise<StatementResult<Row>[]>): Promise<StatementResult<Row>> {
    const { turn } = this.#session.runner;
    if (turn.isOver) await turn.next();
    const [result] = await run();
    if (result === undefined) throw new TypeError('The statement returned no result.');
    return result;
  }
}

const constraints = ['first-primary', 'first-unconstrained'];

class Database {
  /** Unlike on Cloudflare, an invocation can send any number of queries. */
  readonly isUnlimited = true;
  readonly #storage: DurableObjectStorage;
  readonly #runner: StatementRunner;
  readonly #session: Session;

  constructor(storage: DurableObjectStorage, options: DatabaseOptions) {
    this.#storage = storage;
    this.#runner = new StatementRunner(storage, options);
    this.#session = new Session(this.#runner, null);
  }

  /** Waits until all writes are on disk. */
  sync(): Promise<void> {
    return this.#storage.sync();
  }

  /** Returns a text that differs after each statement that changed data. */
  getState(): string {
    return this.#runner.getBookmark(this.#runner.writes);
  }

  prepare(sql: string): D1PreparedStatement {
    return this.#session.prepare(sql);
  }

  async batch<Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]> {
    return this.#session.batch<Row>(statements);
  }

  /** Runs each line of a text as a statement, in one transaction. */
  async exec(text: string): Promise<D1ExecResult> {
    const lines = text.trim().split('\n');
    try {
      const results = this.#runner.run(
        lines.map((statement) => ({ statement, params: [] })),
        toLists,
      );
      return { count: results.length, duration: results.reduce((sum, { meta }) => sum + meta.duration, 0) };
    } catch (error) {
      throw toError('D1_EXEC_ERROR', `Error in line 1: ${lines[0]}: ${getMessage(error)}`);
    }
  }

  withSession(constraintOrBookmark = ''): D1DatabaseSession {
    const bookmark = constraintOrBookmark.trim();
    return new Session(this.#runner, bookmark === '' || constraints.includes(bookmark) ? null : bookmark);
  }

  async dump(): Promise<ArrayBuffer> {
    throw toError('D1_DUMP_ERROR', 'Use `octavo backup` for backups.');
  }
}

let database: Database | undefined;

/** Opens the database of a Durable Object. */
export function openDatabase(storage: DurableObjectStorage, options: DatabaseOptions = {}): D1Database {
  database = new Database(storage, options);
  return database;
}

/**
 * Returns the state of the database that was opened last. The object shares this module with the code in front of it.
 */
export const getDatabaseState = (): string | undefined => database?.getState();
