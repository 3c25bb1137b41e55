import { afterAll, beforeAll, expect, test } from 'vitest';
import { batches } from './database-parity/batches.ts';
import { startBoth } from './database-parity/both-databases.ts';
import { features } from './database-parity/features.ts';
import { schema } from './database-parity/schema.ts';
import { statements } from './database-parity/statements.ts';
import { values } from './database-parity/values.ts';

let both: Awaited<ReturnType<typeof startBoth>>;
beforeAll(async () => {
  both = await startBoth();
});
afterAll(() => both.stop());

const cases = Object.entries({ batches, features, schema, statements, values }).flatMap(([theme, each]) =>
  Object.keys(each).map((name) => ({ theme, name })),
);

test.each(cases)('$theme, $name: the machine answers as D1 does', async ({ theme, name }) => {
  const expected = await both.ask('d1', theme, name);

  expect(await both.ask('machine', theme, name)).toEqual(expected);
});

const failed = (message: string) => expect.objectContaining({ message: `D1_ERROR: ${message}` });
const tooMany = failed('The statement read more than 1000 rows.');
const noParent = 'FOREIGN KEY constraint failed: SQLITE_CONSTRAINT';

test('a batch that leaves a foreign key broken at its end is refused alone, and nothing after it is', async () => {
  const answers = (await both.ask('machine', 'own', 'foreign keys broken at the end')) as unknown[];

  expect(answers.slice(3)).toEqual([
    failed(noParent),
    failed(`${noParent} (extended: SQLITE_CONSTRAINT_FOREIGNKEY)`),
    [[1]],
    [],
  ]);
});

test('a table that others point to is made anew', async () => {
  const answers = (await both.ask('machine', 'own', 'a table made anew')) as unknown[];

  expect(answers.slice(3)).toEqual([[[1, 'new']], failed(`${noParent} (extended: SQLITE_CONSTRAINT_FOREIGNKEY)`)]);
});

test('a statement that reads more rows than it may is ended, and no write is', async () => {
  const answers = (await both.ask('bounded', 'own', 'too many rows')) as unknown[];

  expect(answers.slice(1)).toEqual([[[900]], tooMany, [], [[0]], tooMany, [[125_250]]]);
});

test('a slow statement is told, with its text and no values', async () => {
  await both.ask('bounded', 'values', 'booleans and null');
  const slow = (await both.ask('slow')) as unknown[];

  expect(slow.at(-1)).toEqual({
    sql: 'SELECT ?1 AS value, typeof(?1) AS type, ?1 || char(10) AS text',
    milliseconds: expect.any(Number),
    rowsRead: 0,
    rowsWritten: 0,
  });
});
