import type { Steps } from './steps.ts';

const runAll = (db: D1Database, ...texts: string[]) => db.batch(texts.map((sql) => db.prepare(sql)));
const run = (db: D1Database, sql: string) => db.prepare(sql).run();
const selectRows = (db: D1Database, table: string) => () => db.prepare(`SELECT * FROM ${table}`).all();

const parents = 'CREATE TABLE elders (id INTEGER PRIMARY KEY)';
const children = 'CREATE TABLE younger (id INTEGER PRIMARY KEY, elder INTEGER NOT NULL REFERENCES elders)';

export const batches: { [name: string]: Steps } = {
  'reads and writes in their order': (db) => [
    () => runAll(db, 'CREATE TABLE ordered (a)', 'INSERT INTO ordered VALUES (1), (2)', 'SELECT * FROM ordered'),
    () => runAll(db, 'SELECT count(*) AS n FROM ordered', 'DELETE FROM ordered WHERE a = 1', 'SELECT a FROM ordered'),
    () => runAll(db, 'UPDATE ordered SET a = 5', 'SELECT changes() AS n', 'SELECT 1 AS x, 2 AS x'),
    () => db.batch([db.prepare('INSERT INTO ordered VALUES (?), (?) RETURNING a').bind('x', null)]),
  ],
  'all or nothing': (db) => [
    () => run(db, 'CREATE TABLE whole (id INTEGER PRIMARY KEY, name TEXT UNIQUE)'),
    () => runAll(db, "INSERT INTO whole VALUES (1, 'a')", "INSERT INTO whole VALUES (2, 'a')"),
    selectRows(db, 'whole'),
    () => runAll(db, "INSERT INTO whole VALUES (1, 'a')", "SELECT CASE WHEN 1 THEN json('not so') END"),
    selectRows(db, 'whole'),
    () => runAll(db, 'CREATE TABLE half (a)', 'SELECT nothing'),
    selectRows(db, 'half'),
    () => runAll(db, "INSERT INTO whole VALUES (1, 'a')", 'BEGIN'),
    selectRows(db, 'whole'),
    () => runAll(db, "INSERT INTO whole VALUES (3, 'c')", 'SELECT * FROM whole'),
    () => run(db, "INSERT INTO whole VALUES (4, 'c')"),
    () => db.prepare('SELECT last_insert_rowid() AS id').all(),
  ],
  'reads that are repeated': (db) => {
    const read = (after: unknown) => () =>
      db.prepare('SELECT a FROM repeated WHERE a > ? ORDER BY a').bind(after).all();
    return [
      () => runAll(db, 'CREATE TABLE repeated (a)', 'INSERT INTO repeated VALUES (1), (2)'),
      read(0),
      read(0),
      read('0'),
      read(1),
      () => runAll(db, 'INSERT INTO repeated VALUES (3)', "SELECT CASE WHEN 1 THEN json('not so') END"),
      read(1),
      () => runAll(db, 'INSERT INTO repeated VALUES (4)', 'SELECT a FROM repeated WHERE a > 1 ORDER BY a'),
      read(1),
      () => db.exec('DELETE FROM repeated WHERE a = 2'),
      read(1),
    ];
  },
  'foreign keys that wait for the end': (db) => [
    () => runAll(db, parents, children),
    () => runAll(db, 'INSERT INTO younger VALUES (1, 7)', 'INSERT INTO elders VALUES (7)'),
    () =>
      runAll(
        db,
        'PRAGMA defer_foreign_keys = ON',
        'INSERT INTO younger VALUES (1, 7)',
        'INSERT INTO elders VALUES (7)',
      ),
    selectRows(db, 'younger'),
    () => runAll(db, 'INSERT INTO younger VALUES (3, 9)', 'INSERT INTO elders VALUES (9)'),
    () => runAll(db, 'PRAGMA defer_foreign_keys = OFF', 'INSERT INTO younger VALUES (3, 9)'),
    () => runAll(db, 'PRAGMA defer_foreign_keys = ON', 'DELETE FROM elders', 'INSERT INTO elders VALUES (7)'),
    selectRows(db, 'younger'),
  ],
  sessions: (db) => [
    async () => db.withSession().getBookmark(),
    async () => db.withSession('first-primary').getBookmark(),
    async () => db.withSession(' 0000-1 ').getBookmark(),
    async () => {
      const session = db.withSession('first-primary');
      await session.batch([session.prepare('CREATE TABLE of_session (a)')]);
      const first = session.getBookmark() ?? '';
      await session.prepare('INSERT INTO of_session VALUES (?)').bind('a').run();
      const second = session.getBookmark() ?? '';
      const later = db.withSession(second);
      const row = await later.prepare('SELECT * FROM of_session').first();
      const third = later.getBookmark() ?? '';
      const form = /^[0-9a-f-]{1,128}$/;
      return [row, first < second, second <= third, form.test(first), form.test(second), form.test(third)];
    },
    async () => {
      const session = db.withSession();
      await session
        .prepare('SELECT nothing')
        .all()
        .catch(() => undefined);
      return session.getBookmark();
    },
  ],
};
