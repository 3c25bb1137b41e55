import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { findProblem, validate } from './validate.ts';

const limited = z.string().min(2).max(4);
const site = z.object({ title: z.string(), tags: z.array(z.string()) });
const byKind = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('page'), page: z.string() }),
  z.object({ kind: z.literal('url'), url: z.string() }),
]);

/** At least one case for each code of `z.core.$ZodIssueCode`, so that no message of zod itself reaches a caller. */
const cases: Record<string, [z.ZodType, unknown, string][]> = {
  invalid_type: [
    [z.string(), undefined, 'is required'],
    [z.string(), 5, 'must be a string'],
    [z.number(), '5', 'must be a number'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.boolean(), 'yes', 'must be true or false'],
    [z.object({}), [], 'must be an object'],
    [z.record(z.string(), z.string()), 'a', 'must be an object'],
    [z.array(z.string()), {}, 'must be an array'],
    [z.tuple([z.string()]), {}, 'must be an array'],
    [z.null(), 1, 'must be null'],
    [z.never(), 1, 'must be left out'],
    [z.date(), 1, 'must be a date'],
  ],
  invalid_value: [
    [z.enum(['read', 'edit']), 'all', 'must be one of: read, edit'],
    [z.enum(['read', 'edit']), undefined, 'is required'],
    [z.literal(true), false, 'must be true'],
  ],
  too_small: [
    [limited, 'a', 'must have at least 2 characters'],
    [z.string().min(1), '', 'must not be empty'],
    [z.array(z.string()).min(1), [], 'must have at least 1 item'],
    [z.number().min(3), 1, 'must be at least 3'],
    [z.number().positive(), 0, 'must be greater than 0'],
    [z.string().length(3), 'a', 'must have exactly 3 characters'],
    [z.map(z.string(), z.string()).min(2), new Map(), 'must have at least 2 entries'],
  ],
  too_big: [
    [limited, 'abcde', 'must have at most 4 characters'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
    [z.number().max(1000), 1001, 'must be at most 1000'],
    [z.number().lt(5), 5, 'must be less than 5'],
  ],
  invalid_format: [
    [z.email(), 'x', 'must be an email address'],
    [z.url(), 'x', 'must be a URL'],
    [z.iso.datetime(), 'x', 'must be an ISO 8601 timestamp, such as 2026-01-31T12:00:00Z'],
    [z.string().regex(/^a+$/), 'b', 'must match /^a+$/'],
    [z.string().startsWith('https:'), 'b', 'must start with https:'],
    [z.string().endsWith('/'), 'b', 'must end with /'],
    [z.string().includes('-'), 'b', 'must contain -'],
    [z.string().regex(/^a+$/, 'must consist of the letter a'), 'b', 'must consist of the letter a'],
    [z.jwt(), 'x', 'must match the format jwt'],
  ],
  not_multiple_of: [[z.number().multipleOf(5), 3, 'must be a multiple of 5']],
  unrecognized_keys: [[z.strictObject({}), { a: 1 }, 'is not a known field']],
  invalid_union: [
    [z.union([z.string(), z.number()]), true, 'must be a string or a number'],
    [z.union([z.string(), z.number()]), undefined, 'is required'],
    [z.union([z.literal('all'), z.array(z.string()).max(2)]), ['a', 'b', 'c'], 'must have at most 2 items'],
    [z.union([z.literal('all'), z.array(z.string())]), [1], 'must be a string'],
    [byKind, { kind: 'file' }, 'must be one of: page, url'],
    [byKind, {}, 'is required'],
    [byKind, undefined, 'is required'],
  ],
  invalid_key: [
    [
      z.record(z.string().regex(/^[a-z]+$/, 'must be lower-case letters'), z.string()),
      { A: 'a' },
      'is not a valid key: it must be lower-case letters',
    ],
  ],
  invalid_element: [[z.map(z.string(), z.string()), new Map([['a', 1]]), 'must be a string']],
  custom: [
    [z.string().refine(() => false), 'a', 'is not valid'],
    [z.string().refine(() => false, 'must be one word'), 'a', 'must be one word'],
  ],
};

test('covers every issue code of zod', () => {
  expect(Object.keys(cases).sort()).toEqual(Object.values(z.ZodIssueCode).sort());
});

describe.each(Object.entries(cases))('validate: %s', (_, values) => {
  test.each(values)('%# describes the problem', (schema, value, message) => {
    expect(findProblem(schema, value)).toBe(message);
  });
});

test('names the path of each problem', () => {
  expect(validate(site, { title: 1, tags: ['a', 2] })).toEqual({
    success: false,
    issues: [
      { path: ['title'], message: 'must be a string' },
      { path: ['tags', 1], message: 'must be a string' },
    ],
  });
  expect(validate(z.strictObject({}), { a: 1, b: 2 })).toMatchObject({ issues: [{ path: ['a'] }, { path: ['b'] }] });
  expect(validate(z.object({ to: byKind }), { to: {} })).toMatchObject({ issues: [{ path: ['to', 'kind'] }] });
});

test.each([
  ['changes', 'must have at most 1 change'],
  ['previewImages', 'must have at most 1 preview image'],
  ['categories', 'must have at most 1 category'],
  ['site_spaces', 'must have at most 1 site space'],
  ['status', 'must have at most 1 item'],
  ['add', 'must have at most 1 item'],
])('names the items of the list %s', (name, message) => {
  const schema = z.object({ [name]: z.array(z.string()).max(1) });

  expect(validate(schema, { [name]: ['a', 'b'] })).toMatchObject({ issues: [{ path: [name], message }] });
});

test('reports a list that is too long before its items and other fields', () => {
  const schema = z.object({ names: z.array(z.string()), changes: z.array(z.string()).max(50) });

  expect(findProblem(schema, { names: [], changes: Array(51).fill(7) })).toBe('must have at most 50 changes');
  expect(findProblem(schema, { names: Array(30).fill(7), changes: Array(51).fill('a') })).toBe(
    'must have at most 50 changes',
  );
});

test('returns the parsed value', () => {
  expect(validate(z.string().default('en'), undefined)).toEqual({ success: true, data: 'en' });
  expect(findProblem(z.string(), 'a')).toBeUndefined();
});

test('returns at most 20 issues, whatever the value', () => {
  const many = Array.from({ length: 200_000 }, () => ({}));
  const schema = z.union([z.array(z.string()), z.array(z.number()), z.object({ a: z.string() })]);

  expect(validate(z.array(z.string()), many)).toMatchObject({ issues: { length: 20 } });
  expect(validate(schema, many)).toMatchObject({ success: false, issues: { length: 20 } });
  expect(validate(z.strictObject({}), Object.fromEntries(many.map((_, key) => [`k${key}`, 1])))).toMatchObject({
    issues: { length: 20 },
  });
});
