import { expect, test } from 'vitest';
import type { Steps } from './slices.ts';
import { isSmall, mapInSlices, runInSlices, toJsonBytes } from './slices.ts';

test('ends a slice by the estimated cost of its steps, without reading a clock', async () => {
  const order: string[] = [];
  function* work(name: string): Steps<string> {
    for (let count = 0; count < 3; count += 1) {
      order.push(name);
      yield 5000;
    }
    return name;
  }

  expect(await Promise.all([runInSlices(work('one')), runInSlices(work('two'))])).toEqual(['one', 'two']);
  expect(order).toEqual(['one', 'two', 'one', 'two', 'one', 'two']);
});

test('ends a slice by the estimated cost of its items', async () => {
  const order: string[] = [];
  const work = (name: string) =>
    mapInSlices(
      [1, 2, 3],
      (item) => order.push(`${name} ${item}`),
      (item) => (item === 1 ? 0 : 5000),
    );
  await Promise.all([work('one'), work('two')]);

  expect(order).toEqual(['one 1', 'one 2', 'two 1', 'two 2', 'one 3', 'two 3']);
});

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
