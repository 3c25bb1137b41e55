import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, eq, inArray, sql } from 'drizzle-orm';
import { QueryBuilder, SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import type { DatabaseBinding } from './connect.ts';
import { connect } from './connect.ts';
import { dialect } from './dialect.ts';
import { spaceRow } from './statements/records.ts';
import { spaces } from './tables/content.ts';
import { members, users } from './tables/org-admin.ts';
import { outbox } from './tables/runtime.ts';

const { db } = connect({} as DatabaseBinding, { intent: 'write' });
const builder = new QueryBuilder();
const s = aliasedTable(spaces, 's');
const below = builder.select({ id: users.id }).from(users).as('below');

const statements: [what: string, statement: { getSQL(): SQL }][] = [
  ['values', sql`SELECT ${1}, ${'a'}, ${null}, ${true}, ${new Uint8Array([1])}`],
  ['nothing', sql`SELECT 1${undefined} ${sql``}`],
  ['nested SQL fragments', sql`SELECT ${sql`a + ${sql`b * ${2}`}`} WHERE ${sql.join([sql`a`, sql`${3}`], sql` OR `)}`],
  ['a list', sql`id IN ${['a', 'b']} OR id IN ${[]}`],
  ['columns and tables', sql`SELECT ${s.id}, ${spaces.title}, ${spaces.title} FROM ${spaces} JOIN ${s}`],
  ['names', sql`SELECT ${sql.identifier('a "name"')} AS ${sql.raw('`b`')}`],
  ['a column with an encoder', sql`SELECT ${sql.param(true, members.disabled)}, ${sql.param(null, members.disabled)}`],
  ['JSON', sql`SELECT ${sql.param({}, outbox.origin)}`],
  ['a selection', sql`SELECT ${spaceRow} FROM spaces s`],
  ['a subquery', sql`SELECT * FROM ${below} WHERE ${builder.select().from(users).where(sql`id = ${'u'}`)}`],
  ['an alias', sql`SELECT ${sql`1 + ${1}`.as('two')}`],
  ['values in the text', sql`SELECT ${sql`${1} || ${"it's"}`.inlineParams()}, ${2}`],
  ['a placeholder', sql`SELECT ${sql.placeholder('one')}`],
  [
    'a select builder',
    builder
      .select()
      .from(users)
      .where(and(eq(users.id, 'u' as never), inArray(users.email, ['a']))),
  ],
  [
    'an update builder',
    db
      .update(outbox)
      .set({ attempts: sql`attempts + ${1}` })
      .where(sql`${outbox.id} = ${'e'}`),
  ],
  ['a delete builder', db.delete(outbox).where(eq(outbox.id, 'e')).returning({ id: outbox.id })],
];

test.each(statements)('writes SQL as drizzle does: %s', (_, statement) => {
  const { sql, params } = new SQLiteAsyncDialect().sqlToQuery(statement.getSQL());

  expect(dialect.sqlToQuery(statement.getSQL())).toEqual({ sql, params });
});

test('binds a limit as an expression, so that the statement is compiled once', () => {
  const getText = (statement: { getSQL(): SQL }) => dialect.sqlToQuery(statement.getSQL()).sql;
  const limited = builder.select({ id: users.id }).from(users).limit(2).offset(1);

  expect(getText(sql`SELECT ${1} LIMIT ${2} OFFSET ${3}`)).toBe('SELECT ? LIMIT +? OFFSET ?');
  expect(getText(sql`(SELECT 1 LIMIT ${2}), ${3} AS off_limit, ${4}`)).toBe('(SELECT 1 LIMIT +?), ? AS off_limit, ?');
  expect(getText(limited)).toMatch(/ limit \+\? offset \?$/);
});
