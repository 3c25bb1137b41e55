import type { Cost, Metered } from '@octavo/schema';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { drizzle } from 'drizzle-orm/d1';
import { withDistinctNames } from './distinct-names.ts';

/** The part of D1 that Octavo uses, so that a compatible binding can stand in. Sessions are optional. */
export interface DatabaseBinding {
  prepare(sql: string): D1PreparedStatement;
  batch<Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]>;
  withSession?(constraintOrBookmark: string): DatabaseBinding & { getBookmark(): string | null };
}

/** Drizzle over a metered session; `$client` is that session, for batches (see commit.ts). */
export type Database = DrizzleD1Database & { $client: D1Database };

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

/** Drizzle reads through `raw`, which carries no counts, so it is answered from `all`, with columns that differ in name. */
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

  prepared(sql = this.#sql): D1PreparedStatement {
    const statement = this.#source.prepare(sql);
    return this.#values.length === 0 ? statement : statement.bind(...this.#values);
  }

  async all<Row>(): Promise<D1Result<Row>> {
    return this.#counted(await this.prepared().all<Row>());
  }

  async run<Row>(): Promise<D1Result<Row>> {
    return this.all<Row>();
  }

  async raw(): Promise<unknown[][]> {
    const { results } = this.#counted(await this.prepared(withDistinctNames(this.#sql)).all<Record<string, unknown>>());
    return results.map((row) => Object.values(row));
  }

  async first<Row>(): Promise<Row | null> {
    return (await this.all<Row>()).results[0] ?? null;
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
    db: drizzle(client as unknown as D1Database),
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
