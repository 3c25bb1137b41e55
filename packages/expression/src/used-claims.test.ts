import { expect, test } from 'vitest';
import { findUsedClaims, selectUsedClaims } from './conforming-claims.ts';

test.each([
  ['visitor.claims.unsigned.plan == "pro"', ['plan']],
  ['visitor.claims["unsigned"]["plan"] || visitor.claims.unsigned.language', ['language', 'plan']],
  ['visitor . claims?.unsigned ?. plan', ['plan']],
  ['"a" in visitor.claims.unsigned.teams.list', ['teams']],
  ['{{ visitor.claims.unsigned.größe }}', ['größe']],
  ['visitor.claims.plan == "pro" && space.vars.unsigned', []],
  ['A visitor reads this. The unsigned claims of a visitor come from a cookie.', []],
])('finds the unsigned claims of %s', (text, names) => {
  const used = findUsedClaims([text]);

  expect(used === 'all' ? used : [...used].sort()).toEqual(names);
});

test.each([
  'visitor.claims.unsigned[space.vars.name]',
  'visitor.claims.unsigned == undefined',
  'visitor.claims[space.vars.name]',
  'visitor[page.vars.name].unsigned.plan',
  '"unsigned" in visitor.claims',
  '{{ visitor }}',
])('reports that %s can ask for any claim', (text) => {
  expect(findUsedClaims([text])).toBe('all');
});

test('selects the claims that the texts ask for, at most 20', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`claim${index}`, index]));

  expect(selectUsedClaims({ plan: 'pro', other: 1 }, new Set(['plan', 'language']))).toEqual({ plan: 'pro' });
  expect(Object.keys(selectUsedClaims(many, 'all'))).toHaveLength(20);
});
