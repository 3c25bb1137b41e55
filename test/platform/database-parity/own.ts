import type { Steps } from './steps.ts';

const all = (db: D1Database, ...texts: string[]) => db.batch(texts.map((sql) => db.prepare(sql)));
const list = (db: D1Database, sql: string) => db.prepare(sql).raw();

/** Steps that work on the machine's database, but that fail or have no effect in Miniflare's emulation. */
export const own: { [name: string]: Steps } = {
  'foreign keys broken at the end': (db) => [
    () => db.exec('CREATE TABLE oldest (id INTEGER PRIMARY KEY)'),
    () => db.exec('CREATE TABLE youngest (elder REFERENCES oldest)'),
    async () => {
      const beside = db.prepare('INSERT INTO oldest VALUES (1)').run();
      await all(db, 'PRAGMA defer_foreign_keys = ON', 'INSERT INTO youngest VALUES (2)').catch(() => beside);
    },
    () => all(db, 'PRAGMA defer_foreign_keys = ON', 'INSERT INTO oldest VALUES (5)', 'INSERT INTO youngest VALUES (2)'),
    () => db.prepare('INSERT INTO youngest VALUES (3)').run(),
    () => list(db, 'SELECT id FROM oldest'),
    () => list(db, 'SELECT elder FROM youngest'),
  ],
  'a table made anew': (db) => [
    () => db.exec('CREATE TABLE roots (id INTEGER PRIMARY KEY)\nCREATE TABLE leaves (root REFERENCES roots)'),
    () => db.exec('INSERT INTO roots VALUES (1)\nINSERT INTO leaves VALUES (1)'),
    async () => {
      await all(
        db,
        'PRAGMA defer_foreign_keys = ON',
        'CREATE TABLE roots_new (id INTEGER PRIMARY KEY, name TEXT)',
        "INSERT INTO roots_new SELECT id, 'new' FROM roots",
        'DROP TABLE roots',
        'ALTER TABLE roots_new RENAME TO roots',
      );
    },
    () => list(db, 'SELECT id, name FROM roots'),
    () => db.prepare('DELETE FROM roots').run(),
  ],
  'too many rows': (db) => [
    () => db.exec('CREATE TABLE many (n)'),
    () =>
      list(db, 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT count(*) FROM n'),
    () => list(db, 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n'),
    () =>
      list(
        db,
        'INSERT INTO many WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT i FROM n',
      ),
    () => list(db, 'UPDATE many SET n = 0 WHERE n = 2000 RETURNING n'),
    () => list(db, 'SELECT max(n) FROM many'),
    () => list(db, 'SELECT sum(n) FROM (SELECT n FROM many LIMIT 500)'),
  ],
};
