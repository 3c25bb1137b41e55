import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { expect, test } from 'vitest';
import { withDistinctNames } from './connect.ts';
import { members, users } from './org-admin.ts';

const db = drizzle({} as D1Database);
const fields = { member: members.user, user: users.id, text: sql`'a, b' || (select max(1, 2) from users)`.as('text') };

test('each column of a join has a name of its own', () => {
  const { sql: text } = db.select(fields).from(members).innerJoin(users, eq(users.id, members.user)).toSQL();

  expect(withDistinctNames(text)).toBe(
    `select "members"."user" as "column_0", "users"."id" as "column_1", 'a, b' || (select max(1, 2) from users) as "text" ` +
      'from "members" inner join "users" on "users"."id" = "members"."user"',
  );
});

test('what is no join of the builder stays as it is', () => {
  const { sql: alone } = db.select().from(users).toSQL();
  const written = 'SELECT m.user FROM members m LEFT JOIN users u ON u.id = m.user';

  expect(withDistinctNames(alone)).toBe(alone);
  expect(withDistinctNames(written)).toBe(written);
});
