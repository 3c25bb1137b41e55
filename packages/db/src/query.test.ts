import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Lookup, prepareStatement } from './query.ts';
import { fromQuery, selection } from './selection.ts';

const row = selection({ found: fromQuery(String) });
const lookUpSpace = (token: string, space: string) =>
  new Lookup<string>('space', (token: SQL, space: SQL) => sql`(SELECT s FROM t WHERE a = ${token} AND b = ${space})`, [
    token,
    space,
  ]);

test('a lookup can replace a parameter of a prepared statement wherever the parameter is used', () => {
  const find = prepareStatement((limit: SQL<number>, space: SQL<string>) =>
    row.query(sql`SELECT ${space} AS found WHERE ${space} <> '' LIMIT ${limit}`),
  );
  const lookup = '(SELECT s FROM t WHERE a = ? AND b = ?)';

  const lookedUp = {
    sql: `SELECT ${lookup} AS found WHERE ${lookup} <> '' LIMIT +?`,
    params: ['token', 'space', 'token', 'space', 5],
  };
  expect(find(5, lookUpSpace('token', 'space')).getQuery()).toMatchObject(lookedUp);
  expect(find(5, 'known').getQuery()).toMatchObject({
    sql: "SELECT ? AS found WHERE ? <> '' LIMIT +?",
    params: ['known', 'known', 5],
  });
  expect(find(7, lookUpSpace('other', 'space')).getQuery().params).toEqual(['other', 'space', 'other', 'space', 7]);
});

test('a statement in SQL text binds the values of a lookup', () => {
  expect(row.query(sql`SELECT ${lookUpSpace('token', 'space')} AS found`).getQuery()).toMatchObject({
    sql: 'SELECT (SELECT s FROM t WHERE a = ? AND b = ?) AS found',
    params: ['token', 'space'],
  });
});
