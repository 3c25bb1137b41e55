import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { evaluate, isReadable } from './expression.ts';

describe('parsing', () => {
  test.each([
    'a',
    'a.b[0].c',
    'a ? !b : -1',
    '[1, "x", null, true, undefined]',
    'a && b || a ?? b',
    '1 + 1 === 2',
    '"x" in a',
    'a.length >= 2',
  ])('%s', (source) => {
    expect(isReadable(source, ['a', 'b'])).toBe(true);
  });

  test.each([
    '',
    'c',
    'a(1)',
    'a.b()',
    'this',
    'a = 1',
    '`x`',
    'a | b',
    '1 - 1',
    '~a',
    'a; b',
    '(',
    `${'a['.repeat(60)}0${']'.repeat(60)}`,
    `a${' '.repeat(1024)}`,
  ])('%s cannot be parsed', (source) => {
    expect(isReadable(source, ['a', 'b'])).toBe(false);
  });
});

test('only lists have a length', () => {
  const readLength = (value: never) => evaluate('a.length', { a: value }).value;

  expect([[1, 2], 'text', { b: 1 }].map((value) => readLength(value as never))).toEqual([2, undefined, undefined]);
});

test('every expression that can be parsed can be evaluated, whatever its names', () => {
  const leaf = fc.constantFrom('a', 'b', '1', '"x"', 'null', 'undefined', 'a.b', 'b[0]');
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc
        .tuple(
          tie('expression'),
          fc.constantFrom('&&', '||', '??', '==', '!==', 'in', '+', '-', '*', '<', '>='),
          tie('expression'),
        )
        .map(([one, operator, other]) => `(${one} ${operator} ${other})`),
      tie('expression').map((each) => `!${each}`),
      tie('expression').map((each) => `[${each}]`),
    ),
  }));
  holds(
    fc.property(expression, fc.jsonValue(), (source, a) => {
      const readable = isReadable(source, ['a', 'b']);
      const evaluated = evaluate(source, { a: a as never, b: [1] });
      if (readable) expect(evaluated.readable).toBe(true);
    }),
  );
});
