import type { Steps } from './steps.ts';

const query = (db: D1Database, sql: string) => db.prepare(sql).all();
const run = (db: D1Database, sql: string) => db.prepare(sql).run();

/** Statements that read the schema. Each database contains tables of its runtime, so row counts are not compared. */
export const schema: { [name: string]: Steps } = {
  'columns after a change of the schema': (db) => [
    () => query(db, 'CREATE TABLE grown (a)'),
    () => query(db, 'INSERT INTO grown VALUES (1)'),
    () => query(db, 'SELECT * FROM grown'),
    () => query(db, 'ALTER TABLE grown ADD COLUMN b DEFAULT 5'),
    () => query(db, 'SELECT * FROM grown'),
    () => query(db, 'ALTER TABLE grown RENAME COLUMN a TO c'),
    () => query(db, 'SELECT * FROM grown'),
    () => query(db, 'DROP TABLE grown'),
    () => query(db, 'SELECT * FROM grown'),
  ],
  pragmas: (db) => [
    () => run(db, 'CREATE TABLE known (id INTEGER PRIMARY KEY, a TEXT REFERENCES known)'),
    () => run(db, 'CREATE INDEX known_a ON known (a)'),
    ...[
      'PRAGMA table_info(known)',
      'PRAGMA table_list(known)',
      'PRAGMA index_list(known)',
      'PRAGMA index_info(known_a)',
      'PRAGMA foreign_key_list(known)',
      'PRAGMA foreign_key_check',
      'PRAGMA quick_check',
      'PRAGMA optimize',
      "SELECT name FROM pragma_table_info('known')",
      'EXPLAIN QUERY PLAN SELECT * FROM known WHERE a = 1',
    ].map((sql) => () => query(db, sql)),
  ],
};
