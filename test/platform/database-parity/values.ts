import type { Steps } from './steps.ts';

const readTypes = (db: D1Database, ...values: unknown[]) =>
  db
    .prepare('SELECT ?1 AS value, typeof(?1) AS type, ?1 || char(10) AS text')
    .bind(...values)
    .all();
const query = (db: D1Database, sql: string) => db.prepare(sql).all();

export const values: { [name: string]: Steps } = {
  'texts and numbers': (db) =>
    ['', 'é', '日本語', '\u{1F600}', '\uD800', 'a\u0000b', 0, 1, -1, 1.5, -0, 1e21, 2 ** 53, NaN, Infinity].map(
      (value) => () => readTypes(db, value),
    ),
  'booleans and null': (db) => [true, false, null].map((value) => () => readTypes(db, value)),
  bytes: (db) =>
    [
      new Uint8Array([0, 1, 255]),
      new Uint8Array([1, 2]).buffer,
      new Uint8Array([1, 2, 3]).subarray(1),
      new Uint16Array([1, 300]),
      new Float64Array([1.5, 300]),
      new DataView(new ArrayBuffer(2)),
      [1, 2, 255],
      [1.5],
      [],
    ].map((value) => () => db.prepare('SELECT ?1 AS value, typeof(?1) AS type, hex(?1) AS hex').bind(value).all()),
  'bytes that change after they are bound': (db) => [
    () => {
      const bytes = new Uint8Array([1, 2]);
      const statement = db.prepare('SELECT hex(?) AS hex').bind(bytes);
      bytes[0] = 9;
      return statement.first('hex');
    },
  ],
  'what is no value': (db) =>
    [undefined, 5n, new Date(0), {}, [256], [-1], ['a'], [null], () => 1, new Map()].map(
      (value) => async () => db.prepare('SELECT ?').bind(value).all(),
    ),
  'columns of every type': (db) => [
    () => query(db, 'CREATE TABLE kinds (i INTEGER, r REAL, t TEXT, b BLOB, n NUMERIC, a ANY) STRICT'),
    () => query(db, 'CREATE TABLE loose (i INTEGER, r REAL, t TEXT, b BLOB, n NUMERIC, a)'),
    ...[1, 1.5, '2', 'x', true, null].map(
      (value) => () => db.prepare('INSERT INTO loose VALUES (?1, ?1, ?1, ?1, ?1, ?1)').bind(value).run(),
    ),
    () => query(db, 'SELECT *, typeof(i), typeof(r), typeof(t), typeof(b), typeof(n), typeof(a) FROM loose'),
  ],
  'large numbers and infinities out of the database': (db) => [
    () => query(db, 'SELECT 9007199254740993 AS a, 9223372036854775807 AS b, -9223372036854775808 AS c'),
    () => query(db, 'SELECT 9e999 AS a, -9e999 AS b, 1.0 AS c, 0.1 AS d'),
    () => db.prepare('SELECT 9e999 AS a').raw(),
    () => db.prepare('SELECT 9e999 AS a').first('a'),
  ],
  'a blob in every shape of answer': (db) => [
    () => query(db, "SELECT x'0102' AS a, NULL AS b"),
    () => db.prepare("SELECT x'0102' AS a").first(),
    () => db.prepare("SELECT x'0102' AS a").first('a'),
    () => db.prepare("SELECT x'' AS a").raw({ columnNames: true }),
  ],
  'names of columns': (db) => [
    () => query(db, 'SELECT 1 AS a, 2 AS b, 3 AS a'),
    () => db.prepare('SELECT 1 AS a, 2 AS b, 3 AS a').raw({ columnNames: true }),
    () => query(db, 'SELECT 1, \'x\', 2 AS "2", 1 AS "1", 3 AS ""'),
    () => query(db, 'SELECT 1 AS "constructor", 2 AS "toString"'),
    () => db.prepare('SELECT 1 AS a').first('b'),
    () => db.prepare('SELECT NULL AS a').first('a'),
    () => db.prepare('SELECT 1 AS a WHERE 0').first(),
    () => db.prepare('SELECT 1 AS a WHERE 0').first('a'),
    () => db.prepare('SELECT 1 AS a WHERE 0').raw({ columnNames: true }),
  ],
  parameters: (db) => [
    () => db.prepare('SELECT ?2 AS b, ?1 AS a').bind('one', 'two').all(),
    () => db.prepare('SELECT ?, ?').bind('one').all(),
    () => db.prepare('SELECT ?').bind('one', 'two').all(),
    () => db.prepare('SELECT ?').all(),
    () => db.prepare('SELECT :a AS a').bind('one').all(),
    () => db.prepare('SELECT ?').bind('one').bind('two').first(),
  ],
};
