import type { QueryWithTypings, SQLWrapper } from 'drizzle-orm';
import { Column, Name, Param, Placeholder, SQL, StringChunk, Table } from 'drizzle-orm';
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';

/**
 * Drizzle's dialect, with a faster writer of SQL text. Drizzle allocates an object and an array for each part of a
 * statement and joins them level by level, which takes longer than most statements run. Drizzle still writes uncommon
 * parts.
 */
class Dialect extends SQLiteAsyncDialect {
  readonly #names = new WeakMap<Column | Table, string>();

  override sqlToQuery(sql: SQL, invokeSource?: 'indexes'): QueryWithTypings {
    if (invokeSource !== undefined) return super.sqlToQuery(sql, invokeSource);
    const output: SqlOutput = { sql: '', params: [], isAtLimit: false };
    this.#write(sql, output);
    return { sql: output.sql, params: output.params };
  }

  #write(chunk: unknown, to: SqlOutput): void {
    if (chunk instanceof StringChunk) for (const part of chunk.value) writeText(part, to);
    else if (chunk instanceof SQL) this.#writeAll(chunk, to);
    else if (chunk === undefined) return;
    else if (typeof chunk !== 'object' || chunk === null || chunk instanceof Placeholder) bind(chunk, to);
    else if (chunk instanceof Param) this.#writeParam(chunk, to);
    else if (chunk instanceof Name) to.sql += this.escapeName(chunk.value);
    else if (chunk instanceof Column || chunk instanceof Table) to.sql += this.#getName(chunk);
    else if (Array.isArray(chunk)) this.#writeList(chunk, to);
    else if ((chunk as Partial<SQLWrapper>).shouldOmitSQLParens?.()) this.#write((chunk as SQLWrapper).getSQL(), to);
    else this.#writeWithDrizzle(chunk, to);
  }

  #writeAll(sql: SQL, to: SqlOutput): void {
    if ((sql as unknown as Inlining).shouldInlineParams) this.#writeWithDrizzle(sql, to);
    else for (const chunk of sql.queryChunks) this.#write(chunk, to);
  }

  #writeList(chunks: unknown[], to: SqlOutput): void {
    to.sql += '(';
    for (const [index, chunk] of chunks.entries()) {
      if (index > 0) to.sql += ', ';
      this.#write(chunk, to);
    }
    to.sql += ')';
  }

  #writeParam({ value, encoder }: Param, to: SqlOutput): void {
    const storedValue: unknown = value === null ? null : encoder.mapToDriverValue(value);
    if (storedValue instanceof SQL) this.#write(storedValue, to);
    else bind(storedValue, to);
  }

  /**
   * Caches names. An aliased table returns a new object for a column each time, so the cache only helps for tables
   * without an alias.
   */
  #getName(source: Column | Table): string {
    const cached = this.#names.get(source);
    if (cached !== undefined) return cached;
    const { sql } = super.sqlToQuery(new SQL([source]));
    this.#names.set(source, sql);
    return sql;
  }

  #writeWithDrizzle(chunk: object, to: SqlOutput): void {
    const { sql, params } = super.sqlToQuery(new SQL([chunk as SQL]));
    to.sql += sql;
    to.params.push(...params);
  }
}

interface SqlOutput {
  sql: string;
  params: unknown[];
  /** Whether the next part is the limit of a SELECT. */
  isAtLimit: boolean;
}

interface Inlining {
  shouldInlineParams: boolean;
}

function writeText(part: string, to: SqlOutput): void {
  to.sql += part;
  to.isAtLimit = part.endsWith('LIMIT ') || part.endsWith('limit ');
}

/**
 * Binds a limit as an expression (`+?`). For a plain limit, SQLite uses the value in its plan, and recompiles the
 * statement for each value. That takes longer than most statements run.
 */
function bind(value: unknown, to: SqlOutput): void {
  to.sql += to.isAtLimit ? '+?' : '?';
  to.isAtLimit = false;
  to.params.push(value);
}

/** All requests share the dialect, because it stores nothing about a request. */
export const dialect = new Dialect();
