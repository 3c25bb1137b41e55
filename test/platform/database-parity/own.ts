import type { Steps } from './steps.ts';

const runAll = (db: D1Database, ...texts: string[]) => db.batch(texts.map((sql) => db.prepare(sql)));
const waitForTurn = () => new Promise((resolve) => setTimeout(resolve));
const list = (db: D1Database, sql: string) => db.prepare(sql).raw();

/** Steps that work on the machine's database, but that fail or have no effect in Miniflare's emulation. */
export const own: { [name: string]: Steps } = {
  'foreign keys broken at the end': (db) => [
    () => db.exec('CREATE TABLE oldest (id INTEGER PRIMARY KEY)'),
    () => db.exec('CREATE TABLE youngest (elder REFERENCES oldest)'),
    async () => {
      const beside = db.prepare('INSERT INTO oldest VALUES (1)').run();
      await runAll(db, 'PRAGMA defer_foreign_keys = ON', 'INSERT INTO youngest VALUES (2)').catch(() => beside);
    },
    () =>
      runAll(db, 'PRAGMA defer_foreign_keys = ON', 'INSERT INTO oldest VALUES (5)', 'INSERT INTO youngest VALUES (2)'),
    () => db.prepare('INSERT INTO youngest VALUES (3)').run(),
    () => list(db, 'SELECT id FROM oldest'),
    () => list(db, 'SELECT elder FROM youngest'),
  ],
  'a table made anew': (db) => [
    () => db.exec('CREATE TABLE roots (id INTEGER PRIMARY KEY)\nCREATE TABLE leaves (root REFERENCES roots)'),
    () => db.exec('INSERT INTO roots VALUES (1)\nINSERT INTO leaves VALUES (1)'),
    async () => {
      await runAll(
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
  'repeated reads': (db) => {
    const isRepeated = (sql: string, first: unknown, second: unknown) => async () => {
      const read = (value: unknown) => db.prepare(sql).bind(value).all();
      return (await read(first)).results === (await read(second)).results;
    };
    const plain = 'SELECT n FROM kept WHERE n > ?';
    return [
      () => db.exec('CREATE TABLE kept (n)\nINSERT INTO kept VALUES (1)'),
      isRepeated(plain, 0, 0),
      isRepeated(plain, 0, '0'),
      isRepeated("SELECT unixepoch('subsec') AS now, ? AS n", 0, 0),
      isRepeated('SELECT n, random() FROM kept WHERE n > ?', 0, 0),
      isRepeated("SELECT x'00' AS bytes, ? AS n", 0, 0),
      isRepeated('SELECT ? AS bytes', new Uint8Array([1]), new Uint8Array([1])),
      async () => {
        const before = await db.prepare(plain).bind(0).all();
        await db.prepare('INSERT INTO kept VALUES (2)').run();
        return before.results === (await db.prepare(plain).bind(0).all()).results;
      },
      async () => {
        const [row] = (await db.prepare(plain).bind(0).all<{ n: number }>()).results;
        if (row !== undefined) row.n = 5;
      },
    ];
  },
  'long reads': (db) => {
    const count = 100_000;
    const readAll = (beside: () => Promise<unknown>) => async () => {
      const order: string[] = [];
      const note = (name: string) => () => order.push(name);
      const read = db.batch<{ n: number }>([db.prepare('SELECT n FROM long'), db.prepare('SELECT n FROM long')]);
      await Promise.all([read.then(note('read')), beside().then(note('beside'))]);
      const [first, second] = await read;
      const hasOneState = JSON.stringify(first?.results) === JSON.stringify(second?.results);
      return [order.at(-1), hasOneState, first?.results.length, first?.results[0]];
    };
    return [
      () => db.exec('CREATE TABLE long (n)'),
      () =>
        db
          .prepare(
            'INSERT INTO long WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?) SELECT i FROM n',
          )
          .bind(count)
          .run(),
      readAll(() => waitForTurn().then(() => db.prepare('SELECT 1').all())),
      readAll(() => waitForTurn().then(() => db.prepare('UPDATE long SET n = n + 1').run())),
      readAll(async () => {
        for (let write = 0; write < 10; write += 1) {
          await waitForTurn();
          await db.prepare('UPDATE long SET n = n + 1 WHERE n < 10').run();
        }
      }),
    ];
  },
};
