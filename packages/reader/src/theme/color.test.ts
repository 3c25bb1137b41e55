import { expect, test } from 'vitest';
import { getContrast, getReadableTextColor, makeReadable, mixColors } from './color.ts';

const grounds = ['#ffffff', '#f4f5f7', '#14161a', '#1e2127'];
const colors = [
  '#000',
  '#ffffff',
  '#346ddb',
  '#fe9a00',
  '#00a63e',
  '#fb2c36',
  '#787878',
  '#ffff00',
  '#0000ff',
  '#7fdbff',
];

test('contrast follows WCAG', () => {
  expect(getContrast('#000000', '#ffffff')).toBe(21);
  expect(getContrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});

test.each(colors)('adjusts %s until it is readable, and does not change readable colors', (color) => {
  for (const ground of grounds) expect(getContrast(makeReadable(color, [ground]), ground)).toBeGreaterThanOrEqual(4.5);
  expect(getContrast(getReadableTextColor(color), color)).toBeGreaterThanOrEqual(4.5);
  expect(makeReadable('#346ddb', ['#ffffff'])).toBe('#346ddb');
});

test('mixing two colors returns a color between them', () => {
  expect(mixColors('#ff0000', '#ffffff', 0)).toBe('#ffffff');
  expect(mixColors('#ff0000', '#ffffff', 1)).toBe('#ff0000');
  expect(getContrast(mixColors('#346ddb', '#ffffff', 0.1), '#ffffff')).toBeLessThan(1.3);
});
