import { expect, test } from 'vitest';
import { isSmall, toJsonBytes } from './json-text.ts';

const getText = async (value: unknown) => new TextDecoder().decode(await toJsonBytes(value));

const large = Array.from({ length: 3_000 }, (_, index) => ({ id: `page ${index}`, nodes: [index, null, undefined] }));

test.each([
  ['an array of objects', large],
  ['nested arrays', [[[large]], [large, []]]],
  ['fields without a value', { none: undefined, large, call: () => 1, empty: {}, sign: Symbol('a') }],
  ['items without a value', [undefined, () => 1, ...large]],
  ['dates', { at: new Date(0), large }],
  ['a value with toJSON', { large: { items: large, toJSON: () => ({ large }) } }],
  ['halves of characters', [...large, '\ud83d', 'ü😀']],
])('serializes %s like JSON.stringify', async (_name, value) => {
  expect(isSmall(value)).toBe(false);
  expect(await getText(value)).toBe(JSON.stringify(value));
});

test('recognizes small values', () => {
  expect([undefined, null, 'text', [], { id: 1, nodes: [{}] }].every(isSmall)).toBe(true);
  expect(isSmall({ text: 'x'.repeat(100_000), items: [] })).toBe(false);
});
