import { DatabaseSync } from 'node:sqlite';
import type { CollectionId, UserId } from '@octavo/schema';
import { createId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, eq, getTableColumns, sql } from 'drizzle-orm';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Parameter } from './query.ts';
import { prepareForKeys, prepareQuery, prepareStatement } from './query.ts';
import type { Row } from './selection.ts';
import { computed, fromQuery, nullable, selection } from './selection.ts';
import { revisions, spaces } from './tables/content.ts';
import { members, users } from './tables/org-admin.ts';

const [s, head, u] = [aliasedTable(spaces, 's'), aliasedTable(revisions, 'head'), aliasedTable(users, 'u')];

const spaceRow = selection({
  id: s.id,
  parent: s.parent,
  editMode: s.editMode,
  head: { id: head.id, lineage: head.lineage },
  age: computed(Number, sql`unixepoch() - s.created_at`),
  author: nullable({ id: u.id, photoUrl: u.photoUrl }),
  disabled: fromQuery(members.disabled),
});

const row = {
  id: 'spc_1',
  parent: null,
  edit_mode: 'live',
  head_id: 'rev_1',
  head_lineage: '[["spc_1",4]]',
  age: 7,
  author_id: 'usr_1',
  author_photo_url: null,
  disabled: 1,
};

test('names each field by its path, and omits fields that the query provides', () => {
  expect(spaceRow.query(sql`SELECT ${spaceRow} FROM spaces s`).getQuery().sql).toBe(
    'SELECT "s"."id" AS `id`, "s"."parent" AS `parent`, "s"."edit_mode" AS `edit_mode`, "head"."id" AS `head_id`, ' +
      '"head"."lineage" AS `head_lineage`, unixepoch() - s.created_at AS `age`, "u"."id" AS `author_id`, ' +
      '"u"."photo_url" AS `author_photo_url` FROM spaces s',
  );
});

test('binds parameters with the query', () => {
  const one = selection({ disabled: fromQuery(members.disabled), level: nullable(fromQuery(String)) });

  expect(one.query(sql`SELECT ${one.with({ disabled: sql`${1}`, level: sql`${'a'}` })}`).getQuery()).toMatchObject({
    sql: 'SELECT ? AS `disabled`, ? AS `level`',
    params: [1, 'a'],
  });
  const bound = selection({ age: computed(Number, sql`${5}`) });
  expect(() => bound.getSQL()).toThrow('must not bind parameters');
});

test('returns the types of the tables', () => {
  const record = spaceRow.read(row);

  expect(record).toEqual({
    id: 'spc_1',
    parent: null,
    editMode: 'live',
    head: { id: 'rev_1', lineage: [['spc_1', 4]] },
    age: 7,
    author: { id: 'usr_1', photoUrl: null },
    disabled: true,
  });
  expectTypeOf(record.editMode).toEqualTypeOf<'live' | 'locked'>();
  expectTypeOf(record.head.lineage).toEqualTypeOf<[branch: string, seq: number][]>();
  expectTypeOf(record.disabled).toEqualTypeOf<boolean>();
  expectTypeOf(record.author).toEqualTypeOf<{ id: UserId; photoUrl: string | null } | null>();
});

test('a group of a left join is null if its first field is', () => {
  expect(spaceRow.read({ ...row, author_id: null }).author).toBeNull();
});

test('throws for a missing column, and for null where a value is required', () => {
  const { head_id: _, ...without } = row;

  expect(() => spaceRow.read(without)).toThrow('The query returns no column head_id.');
  expect(() => spaceRow.read({ ...row, edit_mode: null })).toThrow('The column edit_mode is null.');
});

test('builds the text of a statement once, with the values of each use', () => {
  let built = 0;
  const named = prepareStatement((id: SQL<string>, age: SQL<number | null>) => {
    built += 1;
    return spaceRow.query(
      sql`SELECT ${spaceRow} FROM spaces s WHERE (s.age = ${age} OR ${id} = ${'x'}) AND s.id = ${id}`,
    );
  });

  const [one, other] = [named('a', 1).getQuery(), named('b', null).getQuery()];

  expect(built).toBe(1);
  expect(one.params).toEqual([1, 'a', 'x', 'a']);
  expect(other.params).toEqual([null, 'b', 'x', 'b']);
  expect(other.sql).toBe(one.sql);
  expect(named('a', 1).read(row)).toEqual(spaceRow.read(row));
});

describe('prepared', () => {
  const authored = selection({ id: s.id, author: nullable({ id: u.id, email: u.email }), age: spaceRow.fields.age });
  const authoredIn = prepareQuery(authored, (select, parent: Parameter<CollectionId>, limit: Parameter<number>) =>
    select.from(s).leftJoin(u, eq(u.id, s.createdBy)).where(eq(s.parent, parent)).orderBy(s.title).limit(limit),
  );
  const collection = createId('collection');

  test('selects each column under a unique name, and binds new values on each use', () => {
    const { sql: text, params } = authoredIn(collection, 7).getQuery();

    expect(text).toBe(
      'select "s"."id" as "id", "u"."id" as "author_id", "u"."email" as "author_email", ' +
        'unixepoch() - s.created_at as "age" from "spaces" "s" left join "users" "u" on "u"."id" = "s"."created_by" ' +
        'where "s"."parent" = ? order by "s"."title" limit +?',
    );
    expect(params).toEqual([collection, 7]);
    expect(authoredIn(createId('collection'), 8).getQuery().params[1]).toBe(8);
  });

  test('returns records of the selection', () => {
    const record = authoredIn(collection, 7).read({ id: 'spc_1', author_id: 'usr_1', author_email: 'a@b.c', age: 3 });

    expect(record).toEqual({ id: 'spc_1', author: { id: 'usr_1', email: 'a@b.c' }, age: 3 });
    expectTypeOf(record.author).toEqualTypeOf<{ id: UserId; email: string } | null>();
    expectTypeOf(authoredIn).parameters.toEqualTypeOf<[CollectionId, number]>();
  });

  test('selects whole rows of a single table without confusing its columns with those of a subquery', () => {
    const named = selection({
      name: computed(String, sql`(SELECT r.id FROM revisions r WHERE r.branch = ${spaces.id})`),
    });

    expect(prepareQuery(named, (select) => select.from(spaces))().getQuery().sql).toBe(
      'select (SELECT r.id FROM revisions r WHERE r.branch = "spaces"."id") as "name" from "spaces"',
    );
    expect(selection(getTableColumns(revisions)).names).toHaveProperty('createdAt');
  });
});

test('finds rows by a list of keys, with as many queries as their parameters need', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE TABLE parts (owner TEXT, name TEXT, number INTEGER);
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
    INSERT INTO parts SELECT 'me', 'part', i FROM n UNION ALL SELECT 'other', 'part', i FROM n
      UNION ALL SELECT 'me', NULL, NULL`);
  const part = selection({ number: fromQuery(Number) });
  const findParts = prepareForKeys(['name', 'number'], (keys, owner: SQL<string>) =>
    part.query(sql`SELECT p.number FROM ${keys} k CROSS JOIN parts p
      ON p.owner = ${owner} AND p.name = k.name AND p.number = k.number`),
  );
  const find = (count: number) => {
    const keys = Array.from({ length: count }, (_, index) => ['part', index + 1]);
    return findParts(keys, 'me').map((query) => {
      const { sql: text, params } = query.getQuery();
      return database
        .prepare(text)
        .all(...(params as (string | number | null)[]))
        .map((row) => query.read(row as Row).number);
    });
  };

  expect(find(0)).toEqual([]);
  expect(find(2)).toEqual([[1, 2]]);
  expect(find(49)).toHaveLength(1);
  expect(find(50).map(({ length }) => length)).toEqual([49, 1]);
  expect(find(99).flat()).toEqual(Array.from({ length: 99 }, (_, index) => index + 1));
});
