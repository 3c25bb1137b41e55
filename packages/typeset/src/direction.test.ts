import { expect, test } from 'vitest';
import { addLevels, reorderParts, reverseClusters } from './direction.ts';

const style = { size: 10, color: '' };
const orderVisually = async (...texts: string[]) =>
  reorderParts(await addLevels(texts.map((text) => ({ text, style })))).map(({ text }) => text);

test('leaves left-to-right text unchanged', async () => {
  const spans = [{ text: 'a (b) 12', style }];

  expect(await addLevels(spans)).toBe(spans);
});

test.each([
  ['nested directions', ['ab שלום cd'], ['ab ', 'שלום', ' cd']],
  ['a right-to-left paragraph', ['שלום ab עולם'], [' עולם', 'ab', 'שלום ']],
  ['numbers in right-to-left text', ['שלום 12 עולם'], [' עולם', '12', 'שלום ']],
  ['styles', ['שלום ', 'עולם', ' ab'], ['ab', ' ', 'עולם', 'שלום ']],
])('%s are in visual order', async (_name, texts, expected) => {
  expect(await orderVisually(...texts)).toEqual(expected);
});

test('the first letter determines the direction of a paragraph; code is always left to right', async () => {
  const getBase = async (text: string, mono: boolean) =>
    (await addLevels([{ text, style: { ...style, mono } }]))[0]?.base;

  expect(await getBase('12 שלום ab', false)).toBe(1);
  expect(await getBase('ab שלום', false)).toBe(0);
  expect(await getBase('שלום ab', true)).toBe(0);
});

test('mirrors brackets', async () => {
  await addLevels([{ text: 'שלום', style }]);

  expect(reverseClusters(['(', '1', ']'])).toBe('[1)');
});

test('handles a long paragraph in limited time', async () => {
  const text = '(א '.repeat(100_000);
  const parts = await addLevels(
    Array.from({ length: 150 }, (_, index) => ({ text: text.slice(index * 2_000, (index + 1) * 2_000), style })),
  );

  expect(parts.map((part) => part.text).join('')).toBe(text);
});
