import { expect, test } from 'vitest';
import { createExcerpt } from './queries.ts';

const id = `usr_${'a'.repeat(20)}`;

test('shows names of mentioned users, and unknown ids unchanged', () => {
  const other = `acc_${'b'.repeat(20)}`;

  expect(createExcerpt(`Hello @${id} and @${other}`, { [id]: 'Ada' })).toBe(`Hello @Ada and @${other}`);
});

test('has at most 200 characters and ends with no part of an id', () => {
  expect(createExcerpt('🦉'.repeat(300), {})).toBe('🦉'.repeat(200));
  expect(createExcerpt(`${'x'.repeat(190)}@${id}`, {})).toBe('x'.repeat(190));
});
