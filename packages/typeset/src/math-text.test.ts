import { expect, test } from 'vitest';
import { toMathText } from './spans.ts';

test.each([
  ['E = mc^2', 'E = mc²'],
  ['x_{12} + y_n', 'x₁₂ + y_n'],
  ['\\alpha x \\le \\beta\\gamma', 'α x ≤ βγ'],
  ['\\sum_{i=0}^{n} a_i', '∑_{i=0}ⁿ a_i'],
  ['\\left( \\frac{a}{b} \\right)^{-1}', '( \\frac{a}{b} )⁻¹'],
  ['a\\,b \\unknown c', 'a b \\unknown c'],
  ['\\alphabet \\\\ \\{', '\\alphabet \\\\ \\{'],
])('converts %s to %s', (tex, text) => {
  expect(toMathText(tex)).toBe(text);
});

test.each([['\\'], ['^{'], ['\\a'], ['_{x'], ['^']])('converts hostile TeX of %j in limited time', (piece) => {
  expect(toMathText(piece.repeat(200_000)).length).toBeGreaterThan(0);
});
