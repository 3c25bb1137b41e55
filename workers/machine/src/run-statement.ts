/** A value that SQLite accepts as a parameter. */
export type BoundValue = string | number | null | Uint8Array;

const isByte = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < 256;

/** Returns a copy of the bytes that D1 stores as a blob, because the caller may change its own later. */
function toBytes(value: object): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
  if (ArrayBuffer.isView(value) || (Array.isArray(value) && value.every(isByte)))
    return Uint8Array.from(value as unknown as ArrayLike<number>);
  return undefined;
}

function toBoundValue(value: unknown): BoundValue {
  // D1 sends parameters as JSON, which has no infinity, NaN or negative zero.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null) return null;
  const bytes = typeof value === 'object' ? toBytes(value) : undefined;
  if (bytes !== undefined) return bytes;
  const message = `Type '${typeof value}' not supported for value '${value}'`;
  throw new Error(`D1_TYPE_ERROR: ${message}`, { cause: new Error(message) });
}

/**
 * Converts the values of a call in place to values that SQLite accepts.
 * @throws Error D1_TYPE_ERROR for values that D1 rejects too
 */
export function toBoundValues(values: unknown[]): BoundValue[] {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (typeof value !== 'string') values[index] = toBoundValue(value);
  }
  return values as BoundValue[];
}

/** The properties of a statement that follow from its text. */
interface StatementPlan {
  /** Whether the statement consists of blanks and comments only, which D1 skips. */
  isEmpty: boolean;
  /** Whether the statement certainly writes nothing, so that it needs no transaction and no count of changes. */
  isRead: boolean;
  changesSchema: boolean;
  defersForeignKeys: boolean;
  /** The names of the statement's columns, known after its first run. */
  columns: string[] | undefined;
}

function createPlan(sql: string): StatementPlan {
  const first = /^\s*(\w*)/.exec(sql)?.[1]?.toUpperCase() ?? '';
  const mayWrite = !['SELECT', 'VALUES', 'WITH'].includes(first) || sql.includes(';');
  return {
    isEmpty: sql.replace(/^\s+--.*/gm, '').trim().length === 0,
    isRead: !mayWrite && (first !== 'WITH' || !/\b(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql)),
    changesSchema: mayWrite && /\b(?:CREATE|ALTER|DROP|ANALYZE|PRAGMA)\b/i.test(sql),
    defersForeignKeys: /\bdefer_foreign_keys\b/i.test(sql),
    columns: undefined,
  };
}

/** Plans by text, limited in their total number of characters like SQLite's cache of compiled statements. */
class StatementPlans {
  readonly #plans = new Map<string, StatementPlan>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters = 2_000_000) {
    this.#maxCharacters = maxCharacters;
  }

  getPlan(sql: string): StatementPlan {
    const cached = this.#plans.get(sql);
    if (cached !== undefined) return cached;
    if (this.#characters + sql.length > this.#maxCharacters) this.clear();
    const plan = createPlan(sql);
    this.#plans.set(sql, plan);
    this.#characters += sql.length;
    return plan;
  }

  clear(): void {
    this.#plans.clear();
    this.#characters = 0;
  }
}

export interface BoundStatement {
  readonly statement: string;
  readonly params: BoundValue[];
}

export interface SlowStatement {
  sql: string;
  milliseconds: number;
  rowsRead: number;
  rowsWritten: number;
}

export interface DatabaseOptions {
  /** Statements that take longer are reported to `onSlow`. */
  slowMilliseconds?: number;
  onSlow?(statement: SlowStatement): void;
  /** Returns the error of all writes while the disk is full. */
  findStorageError?(): Error | undefined;
  /** Waits until other requests have run. */
  pause?(): Promise<void>;
  /**
   * A read-only statement is stopped when it has read more rows than this, which is far more than any operation needs.
   */
  maxRowsRead?: number;
}

/** The counts of a statement, as D1 returns them. */
type Meta = D1Meta & Record<string, unknown>;

/** Collects the rows of a cursor with the names of its columns, in short steps, until `check` throws. */
export type Shape<Row> = (
  cursor: SqlStorageCursor<never>,
  columns: string[],
  check: () => void,
) => Generator<undefined, Row[]>;

export interface StatementResult<Row> {
  success: true;
  meta: Meta;
  results: Row[];
}

type Cell = SqlStorageValue | number[];

/** The number of rows that are collected in a step. */
const rowsPerStep = 50;
/** Duration of the steps between two pauses. */
const sliceMilliseconds = 1;

/** Runs all steps without a pause. */
function finish<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Converts a value as D1's JSON does: bytes become numbers, and infinity does not exist. */
function toCell(value: SqlStorageValue): Cell {
  if (typeof value === 'object') return value === null ? null : Array.from(new Uint8Array(value));
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? null : value;
}

// The runtime's own row objects take twice as long as lists of values that are converted to objects here.
export const toObjects: Shape<Record<string, Cell>> = function* (cursor, columns, check) {
  const results: Record<string, Cell>[] = [];
  for (const values of cursor.raw()) {
    check();
    const row: Record<string, Cell> = {};
    for (let index = 0; index < columns.length; index += 1)
      row[columns[index] as string] = toCell(values[index] as SqlStorageValue);
    if (results.push(row) % rowsPerStep === 0) yield;
  }
  return results;
};

export const toLists: Shape<Cell[]> = function* (cursor, _columns, check) {
  const results: Cell[][] = [];
  for (const values of cursor.raw()) {
    check();
    if (results.push(Array.from(values, toCell)) % rowsPerStep === 0) yield;
  }
  return results;
};

/** The first list contains the names of the columns. */
export const toNamedLists: Shape<Cell[] | string[]> = function* (cursor, columns, check) {
  return [[...columns], ...(yield* toLists(cursor, columns, check))];
};

const skipCheck = () => undefined;

interface Counts {
  changes: number;
  lastRowId: number;
}

interface Run extends Omit<SlowStatement, 'sql'> {
  hasGrown: boolean;
}

interface Planned {
  boundStatement: BoundStatement;
  plan: StatementPlan;
}

/**
 * Runs statements on the database of a Durable Object with the behavior of D1. The writes of one turn of the object are
 * flushed to disk as one transaction, and responses leave the object only afterwards.
 */
export class StatementRunner {
  readonly turn = new Turn();
  readonly #storage: DurableObjectStorage;
  readonly #options: DatabaseOptions;
  readonly #maxRowsRead: number;
  readonly #slowMilliseconds: number;
  readonly #plans = new StatementPlans();
  #counts: Counts = { changes: 0, lastRowId: 0 };
  readonly #openedAt = Date.now();
  #writes = 0;

  constructor(storage: DurableObjectStorage, options: DatabaseOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#maxRowsRead = options.maxRowsRead ?? 5_000_000;
    this.#slowMilliseconds = options.slowMilliseconds ?? 250;
    this.#count();
  }

  /** The number of statements that have changed the database since it was opened. */
  get writes(): number {
    return this.#writes;
  }

  /** Bookmarks sort as strings, by the time of opening and then by the number of writes. */
  getBookmark(writes: number): string {
    return [this.#openedAt, writes].map((part) => part.toString(16).padStart(12, '0')).join('-');
  }

  /** Runs all statements in one transaction and returns the results of those that are not empty. */
  run<Row>(statements: readonly BoundStatement[], shape: Shape<Row>): StatementResult<Row>[] {
    const planned = this.#plan(statements);
    if (planned.every(({ plan }) => plan.isRead)) return this.#runEach(planned, shape);
    const storageError = this.#options.findStorageError?.();
    if (storageError !== undefined) throw storageError;
    const defers = planned.some(({ plan }) => plan.defersForeignKeys);
    try {
      return this.#storage.transactionSync(() => {
        this.#count();
        return defers ? this.#deferringForeignKeys(planned, shape) : this.#runEach(planned, shape);
      });
    } catch (error) {
      this.#count();
      throw error;
    }
  }

  /**
   * Runs statements like `run`. If they only read, all requests may run between two steps. After a write, which the
   * results could include in part, the statements run again without a pause.
   */
  async runInSteps<Row>(statements: readonly BoundStatement[], shape: Shape<Row>): Promise<StatementResult<Row>[]> {
    const planned = this.#plan(statements);
    if (!planned.every(({ plan }) => plan.isRead)) return this.run(statements, shape);
    const writes = this.#writes;
    const steps = this.#collectEach(planned, shape);
    for (let start = performance.now(); ; ) {
      const step = steps.next();
      if (step.done) return step.value;
      if (performance.now() - start < sliceMilliseconds) continue;
      await (this.#options.pause?.() ?? scheduler.wait(0));
      if (this.#writes !== writes) return this.run(statements, shape);
      start = performance.now();
    }
  }

  #plan(statements: readonly BoundStatement[]): Planned[] {
    const planned = statements
      .map((boundStatement) => ({ boundStatement, plan: this.#plans.getPlan(boundStatement.statement) }))
      .filter(({ plan }) => !plan.isEmpty);
    if (planned.length === 0) throw new Error('No SQL statements detected.');
    return planned;
  }

  *#collectEach<Row>(planned: Planned[], shape: Shape<Row>): Generator<undefined, StatementResult<Row>[]> {
    const results: StatementResult<Row>[] = [];
    for (const [index, each] of planned.entries()) {
      if (index > 0) yield;
      results.push(yield* this.#collect(each, shape));
    }
    return results;
  }

  #runEach<Row>(planned: Planned[], shape: Shape<Row>): StatementResult<Row>[] {
    return planned.map((planned) => finish(this.#collect(planned, shape)));
  }

  // The transaction of the turn can include other writes, and it ends too late to reject only this one.
  #deferringForeignKeys<Row>(planned: Planned[], shape: Shape<Row>): StatementResult<Row>[] {
    const { sql } = this.#storage;
    try {
      const results = this.#runEach(planned, shape);
      if (sql.exec('PRAGMA foreign_key_check').toArray().length > 0)
        throw new Error('FOREIGN KEY constraint failed: SQLITE_CONSTRAINT');
      return results;
    } finally {
      sql.exec('PRAGMA defer_foreign_keys = OFF').toArray();
    }
  }

  *#collect<Row>({ boundStatement, plan }: Planned, shape: Shape<Row>): Generator<undefined, StatementResult<Row>> {
    const { sql } = this.#storage;
    const sizeBefore = plan.changesSchema ? sql.databaseSize : 0;
    let [start, milliseconds] = [performance.now(), 0];
    const cursor = sql.exec<never>(boundStatement.statement, ...boundStatement.params);
    plan.columns ??= cursor.columnNames;
    // An unfinished cursor blocks no commit as long as its statement only reads.
    const rows = shape(cursor, plan.columns, plan.isRead ? () => this.#checkRead(cursor.rowsRead) : skipCheck);
    let step = rows.next();
    for (; !step.done; step = rows.next()) {
      milliseconds += performance.now() - start;
      yield;
      start = performance.now();
    }
    const results = step.value;
    const { rowsRead, rowsWritten } = cursor;
    milliseconds += performance.now() - start;
    this.turn.spend(milliseconds);
    if (milliseconds > this.#slowMilliseconds)
      this.#options.onSlow?.({ sql: boundStatement.statement, milliseconds, rowsRead, rowsWritten });
    if (plan.changesSchema) this.#plans.clear();
    const run = {
      milliseconds,
      rowsRead,
      rowsWritten,
      hasGrown: plan.changesSchema && sql.databaseSize !== sizeBefore,
    };
    return { success: true, meta: this.#createMeta(run, plan), results };
  }

  #checkRead(rowsRead: number): void {
    if (rowsRead > this.#maxRowsRead) throw new Error(`The statement read more than ${this.#maxRowsRead} rows.`);
  }

  #createMeta({ milliseconds, rowsRead, rowsWritten, hasGrown }: Run, plan: StatementPlan): Meta {
    const before = this.#counts;
    const { changes, lastRowId } = plan.isRead ? before : this.#count();
    const isChanged = hasGrown || changes !== before.changes || lastRowId !== before.lastRowId;
    if (isChanged) this.#writes += 1;
    const { sql } = this.#storage;
    return {
      served_by: 'octavo',
      served_by_primary: true,
      total_attempts: 1,
      timings: { sql_duration_ms: milliseconds },
      duration: milliseconds,
      changes: changes - before.changes,
      last_row_id: lastRowId,
      changed_db: isChanged,
      // Reading the size takes as long as a small statement.
      get size_after() {
        return sql.databaseSize;
      },
      rows_read: rowsRead,
      rows_written: rowsWritten,
    };
  }

  #count(): Counts {
    const cursor = this.#storage.sql.exec('SELECT total_changes(), last_insert_rowid()');
    for (const [changes = 0, lastRowId = 0] of cursor.raw<number[]>()) this.#counts = { changes, lastRowId };
    return this.#counts;
  }
}

/** The total duration of statements, in milliseconds, after which the next caller yields to the event loop. */
const maxMilliseconds = 5;
/** The usual duration of the code around a statement. */
const besideMilliseconds = 0.05;

/**
 * Statements run synchronously, so long work of many statements would block all requests until its end. After a few
 * milliseconds of statements, the next caller yields to the event loop.
 */
class Turn {
  #spentMilliseconds = 0;

  get isOver(): boolean {
    return this.#spentMilliseconds > maxMilliseconds;
  }

  spend(milliseconds: number): void {
    this.#spentMilliseconds += milliseconds + besideMilliseconds;
  }

  async next(): Promise<void> {
    await scheduler.wait(0);
    this.#spentMilliseconds = 0;
  }
}
