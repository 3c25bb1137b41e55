import { expect, test } from 'vitest';
import { getNumberPrefix, getSubject } from './subject.ts';

test('the number of a change request without a subject is in its title and not a second time beside it', () => {
  const untitled = { number: 1, subject: '' };

  expect([getSubject(untitled), getNumberPrefix(untitled)]).toEqual(['Change request #1', '']);
});

test('a subject is shown with the number beside it', () => {
  const titled = { number: 2, subject: 'Sort the pages' };

  expect([getSubject(titled), getNumberPrefix(titled)]).toEqual(['Sort the pages', '#2 ']);
});
