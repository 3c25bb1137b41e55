import type { ValueSchema } from '@octavo/schema';
import { findProblem, MediaType } from '@octavo/schema';
import { describe, expect, test } from 'vitest';
import { getEndpoint, operations } from '../support/endpoints.ts';
import { findReachableSchemas } from '../support/schemas.ts';

/** Values that are each invalid for some of the schemas. */
const broken: unknown[] = [
  undefined,
  null,
  true,
  -1,
  1.5,
  1e9,
  ...['', ' ', '\n', 'x', '<', '%', 'https://x', 'x'.repeat(20_000), '\ud800'],
  ...[[], [1], Array(1100).fill('x')],
  ...[{}, { '': 1 }, { a: 1 }, { type: 'x', kind: 'x', operation: 'x', mode: 'x', object: 'x' }],
];

/** Matches default messages of zod or JavaScript, and the message of a schema that defines none. */
const raw = /^is not valid$|must match|invalid|expected|received|undefined|NaN|\[object|\^|\\/i;
/** A message continues a sentence that starts with the field name. */
const sentence = /^(?:is|must|has) .*[^.]$/;

describe.each(['body', 'query'] as const)('the %s of each operation', (root) => {
  const checked = new Map<ValueSchema<unknown>, string>();

  test.each(operations.filter(({ endpoint }) => endpoint[root] !== undefined))(
    '$id explains each violation in plain words',
    ({ endpoint }) => {
      const all = findReachableSchemas(endpoint[root] as ValueSchema<unknown>, root);
      const messages = [...all].flatMap(([schema, path]) =>
        checked.has(schema) ? [] : broken.map((value) => ({ path, message: findProblem(schema, value) })),
      );
      for (const [schema, path] of all) checked.set(schema, path);

      expect(
        messages.filter(({ message }) => message !== undefined && (raw.test(message) || !sentence.test(message))),
      ).toEqual([]);
    },
  );
});

test('URLs and media types with line breaks or other control characters are rejected', () => {
  const accepted = operations.flatMap(({ id, endpoint }) =>
    (['body', 'query'] as const).flatMap((root) =>
      [
        ...(endpoint[root] === undefined ? [] : findReachableSchemas(endpoint[root] as ValueSchema<unknown>, root)),
      ].flatMap(([schema, path]) =>
        ['https://a.example/', 'image/png']
          .filter((valid) => isAccepted(schema, valid) && !isAccepted(schema, 'a b'))
          .filter((valid) => ['\n', '\r', '\t', '\0', '\u0085'].some((sign) => isAccepted(schema, `${valid}${sign}b`)))
          .map((valid) => [id, path, valid]),
      ),
    ),
  );

  expect(accepted).toEqual([]);
  expect(isAccepted(MediaType, 'image/png\r\nx: y')).toBe(false);
});

const isAccepted = (schema: ValueSchema<unknown>, value: unknown) => findProblem(schema, value) === undefined;

const withText = [
  ['updateSpaceContent', { changes: [{ operation: 'insert_page', title: 'A', document: '# Title' }] }],
  ['updateSpaceContent', { changes: [{ operation: 'update_page', page: 'A', document: ['# Title'] }] }],
  ['postCommentInSpace', { body: 'Looks good' }],
  ['submitChangeRequestReview', { status: 'approved', comment: 'Looks good' }],
] as const;

test.each(withText)('%s explains with an example that a document is required instead of a text', (id, body) => {
  expect(findProblem(getEndpoint(id).body as ValueSchema<unknown>, body)).toBe('must be {"markdown": "..."}');
});

test('the error for a batch with too many changes mentions changes, not items', () => {
  const changes = Array(51).fill({ operation: 'delete_page', page: 'pg_1' });

  expect(findProblem(getEndpoint('updateSpaceContent').body as ValueSchema<unknown>, { changes })).toBe(
    'must have at most 50 changes',
  );
});
