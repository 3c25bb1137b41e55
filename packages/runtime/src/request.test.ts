import { expect, test } from 'vitest';
import { describeJsonError } from './strict-json.ts';

test.each([
  ['', 'it ends too early, at line 1, column 1'],
  ['{', 'it ends too early, at line 1, column 2'],
  ['{"a": 1', 'it ends too early, at line 1, column 8'],
  ['"text', 'it ends too early, at line 1, column 6'],
  ['{"a": 1,}', 'unexpected "}" at line 1, column 9'],
  ['{"a" 1}', 'unexpected "1" at line 1, column 6'],
  ['{"a": "b" "c": 1}', 'unexpected "\\"" at line 1, column 11'],
  ['{a: 1}', 'unexpected "a" at line 1, column 2'],
  ['{\n  "a": tru\n}', 'unexpected "t" at line 2, column 8'],
  ['[1, 2', 'it ends too early, at line 1, column 6'],
  ['[1 2]', 'unexpected "2" at line 1, column 4'],
  ['[1}', 'unexpected "}" at line 1, column 3'],
  ['1 2', 'unexpected "2" at line 1, column 3'],
  ['01', 'unexpected "1" at line 1, column 2'],
  ['"a\\x"', 'unexpected "\\\\" at line 1, column 3'],
  ['"a\nb"', 'unexpected "\\n" at line 1, column 3'],
  ['{} x', 'unexpected "x" at line 1, column 4'],
  ['# title', 'unexpected "#" at line 1, column 1'],
])('locates the error in %j', (text, description) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(describeJsonError(text)).toBe(description);
});

test('describes a long string without recursion', () => {
  expect(describeJsonError(`["${'\\n'.repeat(1_000_000)}"`)).toMatch(/^it ends too early/);
});

test('counts the lines before an error', () => {
  expect(describeJsonError(`${'\n'.repeat(5_000_000)} x`)).toBe('unexpected "x" at line 5000001, column 2');
});
