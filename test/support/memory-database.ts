import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Database, DatabaseBinding } from '@octavo/db';
import { connect } from '@octavo/db';

const folder = path.resolve(import.meta.dirname, '../../migrations');

/** Opens an in-memory database with all migrations applied, or with those before one. */
export function createMemoryDatabase(before?: string): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  const names = readdirSync(folder).filter((name) => before === undefined || name < before);
  for (const name of names.toSorted()) database.exec(readFileSync(path.join(folder, name), 'utf8'));
  return database;
}

interface Bound {
  bind(...values: string[]): Bound;
  all(): { results: unknown[]; meta: object };
}

/**
 * Wraps the database in the interface that workers use: a batch is a transaction. `tell` receives each SQL statement.
 */
export const connectMemoryDatabase = (database: DatabaseSync, tell?: (sql: string) => void): Database =>
  connect(bindDatabase(database, tell), { intent: 'write' }).db;

/** Returns the binding of the database, as workers receive it. */
export function bindDatabase(database: DatabaseSync, tell: (sql: string) => void = () => {}): DatabaseBinding {
  const prepare = (sql: string, values: string[] = []): Bound => ({
    bind: (...values) => prepare(sql, values),
    all: () => {
      tell(sql);
      return { results: database.prepare(sql).all(...values), meta: {} };
    },
  });
  const binding = {
    prepare: (sql: string) => prepare(sql),
    batch: async (statements: Bound[]) => {
      database.exec('BEGIN');
      try {
        const results = statements.map((statement) => statement.all());
        database.exec('COMMIT');
        return results;
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
  };
  return binding as unknown as DatabaseBinding;
}

/** Returns the binding of a database with sessions, which all read the database itself. */
export function bindWithSessions(database: DatabaseSync, tell?: (sql: string) => void): D1Database {
  const binding = bindDatabase(database, tell);
  return { ...binding, withSession: () => binding } as unknown as D1Database;
}
