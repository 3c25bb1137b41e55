import { collectObjects, getResult, type ObjectRow, type Shape, toObjects } from './collect-rows.ts';
import { getResultKey, RowCache } from './row-cache.ts';
import { Turn } from './turn.ts';

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
  /** Whether the statement returns the same rows until the database changes. */
  isRepeatable: boolean;
  changesSchema: boolean;
  defersForeignKeys: boolean;
  /** The names of the statement's columns, known after its first run. */
  columns: string[] | undefined;
}

/** SQL functions and names whose values change without a write. */
const changingValue =
  /\b(?:random|randomblob|unixepoch|julianday|strftime|timediff|date|time|datetime|changes|total_changes|last_insert_rowid)\s*\(|\bcurrent_/i;

function createPlan(sql: string): StatementPlan {
  const first = /^\s*(\w*)/.exec(sql)?.[1]?.toUpperCase() ?? '';
  const mayWrite = !['SELECT', 'VALUES', 'WITH'].includes(first) || sql.includes(';');
  return {
    isEmpty: sql.replace(/^\s+--.*/gm, '').trim().length === 0,
    isRead: !mayWrite && (first !== 'WITH' || !/\b(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql)),
    isRepeatable: !changingValue.test(sql),
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
  /**
   * A read-only statement is stopped when it has read more rows than this, which is far more than any operation needs.
   */
  maxRowsRead?: number;
}

/** The counts of a statement, as D1 returns them. */
type Meta = D1Meta & Record<string, unknown>;

export interface StatementResult<Row> {
  success: true;
  meta: Meta;
  results: Row[];
}

/** A read that other requests interrupt by writes starts again, at most this often. Then it runs at once. */
const maxTries = 3;

const skipCheck = () => undefined;

interface Counts {
  changes: number;
  lastRowId: number;
}

interface Run extends Omit<SlowStatement, 'sql'> {
  hasGrown: boolean;
}

interface FinishedRun extends Pick<Run, 'milliseconds' | 'hasGrown'> {
  cursor: SqlStorageCursor<never>;
}

interface PlannedStatement {
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
  readonly #cache = new RowCache<StatementPlan, StatementResult<ObjectRow>>();
  #counts: Counts = { changes: 0, lastRowId: 0 };
  readonly #openedAt = Date.now();
  #writes = 0;
  /** The number of transactions that could write, including those that failed. */
  #transactions = 0;

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
    this.#transactions += 1;
    this.#cache.clear();
    const storageError = this.#options.findStorageError?.();
    if (storageError !== undefined) throw storageError;
    const defers = planned.some(({ plan }) => plan.defersForeignKeys);
    try {
      return this.#storage.transactionSync(() => {
        // Full-text search writes at the end of a transaction, after its last statement was counted.
        this.#count();
        return defers ? this.#deferringForeignKeys(planned, shape) : this.#runEach(planned, shape);
      });
    } catch (error) {
      this.#count();
      throw error;
    }
  }

  /**
   * Like `run`, but returns rows as objects, and yields to the event loop while it collects many rows. If a write
   * happens in between, all reads start again, so that their rows are of one state of the database. Until the next
   * write, a repeated read returns its cached result. A transaction with writes can fail, so its reads are not cached.
   */
  async query(statements: readonly BoundStatement[]): Promise<StatementResult<ObjectRow>[]> {
    const planned = this.#plan(statements);
    if (!planned.every(({ plan }) => plan.isRead)) return this.run(statements, toObjects);
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const transaction = this.#transactions;
      const steps = this.#readAll(planned);
      let step = steps.next();
      while (!step.done && transaction === this.#transactions) {
        await this.turn.next();
        if (transaction === this.#transactions) step = steps.next();
      }
      if (step.done) return step.value;
    }
    return getResult(this.#readAll(planned));
  }

  *#readAll(planned: PlannedStatement[]): Generator<undefined, StatementResult<ObjectRow>[]> {
    const results: StatementResult<ObjectRow>[] = [];
    for (const each of planned) results.push(yield* this.#read(each));
    return results;
  }

  *#read(planned: PlannedStatement): Generator<undefined, StatementResult<ObjectRow>> {
    const { boundStatement, plan } = planned;
    const key = plan.isRepeatable ? getResultKey(boundStatement.params) : undefined;
    const cached = this.#cache.find(plan, key);
    if (cached === undefined) return this.#cache.add(plan, key, yield* this.#collect(planned));
    this.turn.spend(0);
    return cached;
  }

  #plan(statements: readonly BoundStatement[]): PlannedStatement[] {
    const planned = statements
      .map((boundStatement) => ({ boundStatement, plan: this.#plans.getPlan(boundStatement.statement) }))
      .filter(({ plan }) => !plan.isEmpty);
    if (planned.length === 0) throw new Error('No SQL statements detected.');
    return planned;
  }

  #runEach<Row>(planned: PlannedStatement[], shape: Shape<Row>): StatementResult<Row>[] {
    return planned.map((planned) => this.#runOne(planned, shape));
  }

  // Checks foreign keys at the end of the batch. SQLite would check them at the end of the whole transaction, which can
  // include other writes and ends too late to reject only this batch.
  #deferringForeignKeys<Row>(planned: PlannedStatement[], shape: Shape<Row>): StatementResult<Row>[] {
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

  #runOne<Row>({ boundStatement, plan }: PlannedStatement, shape: Shape<Row>): StatementResult<Row> {
    const { sql } = this.#storage;
    const sizeBefore = plan.changesSchema ? sql.databaseSize : 0;
    const start = performance.now();
    const cursor = this.#execute(boundStatement, plan);
    const results = shape(cursor, plan.columns ?? [], plan.isRead ? () => this.#checkRead(cursor) : skipCheck);
    const milliseconds = performance.now() - start;
    if (plan.changesSchema) this.#plans.clear();
    const hasGrown = plan.changesSchema && sql.databaseSize !== sizeBefore;
    return { success: true, meta: this.#report(boundStatement, plan, { cursor, milliseconds, hasGrown }), results };
  }

  /** Runs a read and collects its rows in slices. */
  *#collect({ boundStatement, plan }: PlannedStatement): Generator<undefined, StatementResult<ObjectRow>> {
    let milliseconds = 0;
    let start = performance.now();
    const cursor = this.#execute(boundStatement, plan);
    // A read may be stopped before the end of its cursor, because such a cursor does not block a commit.
    const steps = collectObjects(cursor, plan.columns ?? [], () => this.#checkRead(cursor));
    let step = steps.next();
    while (!step.done) {
      milliseconds += performance.now() - start;
      yield undefined;
      start = performance.now();
      step = steps.next();
    }
    milliseconds += performance.now() - start;
    const meta = this.#report(boundStatement, plan, { cursor, milliseconds, hasGrown: false });
    return { success: true, meta, results: step.value };
  }

  #execute({ statement, params }: BoundStatement, plan: StatementPlan): SqlStorageCursor<never> {
    const cursor = this.#storage.sql.exec<never>(statement, ...params);
    plan.columns ??= cursor.columnNames;
    return cursor;
  }

  /** Records the duration of a statement, and returns its counts. */
  #report(
    { statement }: BoundStatement,
    plan: StatementPlan,
    { cursor: { rowsRead, rowsWritten }, milliseconds, hasGrown }: FinishedRun,
  ): Meta {
    this.turn.spend(milliseconds);
    if (milliseconds > this.#slowMilliseconds)
      this.#options.onSlow?.({ sql: statement, milliseconds, rowsRead, rowsWritten });
    return this.#createMeta({ milliseconds, rowsRead, rowsWritten, hasGrown }, plan);
  }

  #checkRead({ rowsRead }: SqlStorageCursor<never>): void {
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
      // A getter, because reading the size takes as long as a small statement.
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
