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

test.each(cases)('$theme, $name: the machine returns the same results as D1', async ({ theme, name }) => {
  const expected = await both.ask('d1', theme, name);

  expect(await both.ask('machine', theme, name)).toEqual(expected);
});

const expectFailure = (message: string) => expect.objectContaining({ message: `D1_ERROR: ${message}` });
const tooMany = expectFailure('The statement read more than 1000 rows.');
const noParent = 'FOREIGN KEY constraint failed: SQLITE_CONSTRAINT';

test('rejects a batch that breaks a foreign key, and nothing after it', async () => {
  const answers = (await both.ask('machine', 'own', 'foreign keys broken at the end')) as unknown[];

  expect(answers.slice(3)).toEqual([
    expectFailure(noParent),
    expectFailure(`${noParent} (extended: SQLITE_CONSTRAINT_FOREIGNKEY)`),
    [[1]],
    [],
  ]);
});

test('recreates a table that other tables reference', async () => {
  const answers = (await both.ask('machine', 'own', 'a table made anew')) as unknown[];

  expect(answers.slice(3)).toEqual([
    [[1, 'new']],
    expectFailure(`${noParent} (extended: SQLITE_CONSTRAINT_FOREIGNKEY)`),
  ]);
});

test('cancels a query that reads too many rows, but never a write', async () => {
  const answers = (await both.ask('bounded', 'own', 'too many rows')) as unknown[];

  expect(answers.slice(1)).toEqual([[[900]], tooMany, [], [[0]], tooMany, [[125_250]]]);
});

test('returns the rows of a repeated read until the next write, and refuses changes of these rows', async () => {
  const answers = (await both.ask('machine', 'own', 'repeated reads')) as unknown[];

  expect(answers.slice(1, -1)).toEqual([true, false, false, false, false, false, false]);
  expect(answers.at(-1)).toMatchObject({ is: 'error', name: 'TypeError' });
});

test('runs other statements during a long read, and reads again after a write', async () => {
  const answers = (await both.ask('machine', 'own', 'long reads')) as unknown[];

  expect(answers.slice(2)).toEqual([
    ['read', true, 100_000, { keys: ['n'], values: [1] }],
    ['read', true, 100_000, { keys: ['n'], values: [2] }],
    [expect.any(String), true, 100_000, { keys: ['n'], values: [expect.any(Number)] }],
  ]);
});

test('logs a slow statement with its text, but without values', async () => {
  await both.ask('bounded', 'values', 'booleans and null');
  const slow = (await both.ask('slow')) as unknown[];

  expect(slow.at(-1)).toEqual({
    sql: 'SELECT ?1 AS value, typeof(?1) AS type, ?1 || char(10) AS text',
    milliseconds: expect.any(Number),
    rowsRead: 0,
    rowsWritten: 0,
  });
});
