import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Database, DatabaseBinding } from '@octavo/db';
import { connect } from '@octavo/db';

const folder = path.resolve(import.meta.dirname, '../../migrations');

/** Opens an in-memory database with all migrations applied, or with those before one. */
export function memoryDatabase(before?: string): DatabaseSync {
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
export function boundTo(database: DatabaseSync, tell: (sql: string) => void = () => {}): Database {
  const prepare = (sql: string, values: string[] = []): Bound => ({
    bind: (...given) => prepare(sql, given),
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
        const answers = statements.map((statement) => statement.all());
        database.exec('COMMIT');
        return answers;
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
  };
  return connect(binding as unknown as DatabaseBinding, { intent: 'write' }).db;
}
