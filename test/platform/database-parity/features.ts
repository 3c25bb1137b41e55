import type { Steps } from './steps.ts';

const query = (db: D1Database, sql: string) => db.prepare(sql).all();
const run = (db: D1Database, sql: string) => db.prepare(sql).run();
const repeatText = (count: number, text: string, between: string) =>
  Array.from({ length: count }, () => text).join(between);

export const features: { [name: string]: Steps } = {
  'full-text search': (db) => [
    () => run(db, "CREATE VIRTUAL TABLE texts USING fts5(title, body, tokenize = 'unicode61 remove_diacritics 2')"),
    () => run(db, "INSERT INTO texts VALUES ('Café', 'a rare word'), ('Other', 'a common word, a word')"),
    () => query(db, "SELECT rowid, title, bm25(texts) AS rank FROM texts WHERE texts MATCH 'word' ORDER BY rank"),
    () =>
      query(
        db,
        "SELECT snippet(texts, 1, '[', ']', '...', 3) AS s, highlight(texts, 0, '<', '>') AS h FROM texts('cafe')",
      ),
    () => query(db, "SELECT * FROM texts WHERE texts MATCH '\"'"),
    () => run(db, "UPDATE texts SET body = 'nothing' WHERE rowid = 1"),
    () => run(db, 'DELETE FROM texts WHERE rowid = 2'),
    () => run(db, "INSERT INTO texts (texts) VALUES ('optimize')"),
    () => query(db, "SELECT count(*) AS n FROM texts WHERE texts MATCH 'word'"),
    () => run(db, 'CREATE VIRTUAL TABLE words USING fts5vocab(texts, row)'),
    () => query(db, 'SELECT term, doc, cnt FROM words'),
  ],
  json: (db) => [
    () => db.prepare('SELECT value, key, type FROM json_each(?)').bind('[1,"a",null,{"b":[true]}]').all(),
    () =>
      query(
        db,
        `SELECT '{"a":{"b":1.0}}' ->> '$.a.b' AS a, json_object('n', 1, 't', 'x') AS b, json_array(1, '2') AS c`,
      ),
    () => db.prepare("SELECT json_object('n', ?) AS bound, json_group_array(?) AS list").bind(5, 5).all(),
    () => query(db, `SELECT key, fullkey FROM json_tree('{"a":[1,2]}')`),
    () =>
      query(
        db,
        `SELECT hex(jsonb('[1]')) AS b, json(jsonb('[1]')) AS j, json_patch('{"a":1}', '{"a":null,"b":2}') AS p`,
      ),
    () => query(db, `SELECT json_extract('{"a":[1]}', '$.a') AS a, json_type('{"a":[1]}', '$.a') AS t`),
  ],
  'windows, recursion and upserts': (db) => [
    () =>
      query(
        db,
        'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) SELECT i, sum(i) OVER (ORDER BY i) AS s FROM n',
      ),
    () => query(db, "SELECT string_agg(value, '-') AS s FROM json_each('[1,2]')"),
    () =>
      query(
        db,
        "SELECT unixepoch('2026-01-01') AS t, strftime('%Y', '2026-01-01') AS y, round(2.5) AS r, pow(2, 3) AS p",
      ),
    () => query(db, 'VALUES (1, 2), (3, 4)'),
  ],
  limits: (db) => [
    () =>
      db
        .prepare(`SELECT ${repeatText(100, '?', ', ')}`)
        .bind(...Array.from({ length: 100 }, () => 'a'))
        .raw(),
    () =>
      db
        .prepare(`SELECT ${repeatText(101, '?', ', ')}`)
        .bind(...Array.from({ length: 101 }, () => 'a'))
        .raw(),
    () => query(db, `SELECT '${'a'.repeat(99_000)}' IS NULL AS a`),
    () => query(db, `SELECT '${'a'.repeat(101_000)}' IS NULL AS a`),
    () => query(db, `SELECT ${repeatText(101, '1', ', ')}`),
    () => run(db, `CREATE TABLE wide (${Array.from({ length: 100 }, (_, index) => `c${index}`).join(', ')})`),
    () => run(db, `CREATE TABLE wider (${Array.from({ length: 101 }, (_, index) => `c${index}`).join(', ')})`),
    () => query(db, repeatText(5, 'SELECT 1 AS a', ' UNION ALL ')),
    () => query(db, repeatText(6, 'SELECT 1 AS a', ' UNION ALL ')),
    () => db.prepare("SELECT 'a' LIKE ? AS a").bind('a'.repeat(50)).all(),
    () => db.prepare("SELECT 'a' LIKE ? AS a").bind('a'.repeat(51)).all(),
    () => db.prepare("SELECT 'a' GLOB ? AS a").bind('a'.repeat(51)).all(),
    () => query(db, `SELECT ${repeatText(101, '1', ' AND ')} AS a`),
    () => query(db, `SELECT max(${repeatText(33, '1', ', ')}) AS a`),
    () => db.prepare('SELECT length(?) AS n').bind('a'.repeat(1_999_999)).all(),
    () => db.prepare('SELECT length(?) AS n').bind('a'.repeat(3_000_000)).all(),
    () => query(db, 'SELECT length(zeroblob(3000000)) AS n'),
  ],
};
