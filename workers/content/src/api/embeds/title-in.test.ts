import { expect, test } from 'vitest';
import { titleIn } from './title-in.ts';

test.each([
  ['{"title": " A\\n talk "}', 'A  talk'],
  ['{"title": "abcdef"}', 'abcde'],
  ['{"title": 1}', null],
  ['{}', null],
  ['null', null],
  ['<html>', null],
])('of %j the title is %j', (answer, title) => {
  expect(titleIn(answer, title?.includes('talk') ? 100 : 5)).toBe(title);
});
