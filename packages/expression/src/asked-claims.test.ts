import { expect, test } from 'vitest';
import { getAskedClaims, selectAskedClaims } from './conforming-claims.ts';

test.each([
  ['visitor.claims.unsigned.plan == "pro"', ['plan']],
  ['visitor.claims["unsigned"]["plan"] || visitor.claims.unsigned.language', ['language', 'plan']],
  ['visitor . claims?.unsigned ?. plan', ['plan']],
  ['"a" in visitor.claims.unsigned.teams.list', ['teams']],
  ['{{ visitor.claims.unsigned.größe }}', ['größe']],
  ['visitor.claims.plan == "pro" && space.vars.unsigned', []],
  ['A visitor reads this. The unsigned claims of a visitor come from a cookie.', []],
])('finds the unsigned claims of %s', (text, names) => {
  const asked = getAskedClaims([text]);

  expect(asked === 'all' ? asked : [...asked].sort()).toEqual(names);
});

test.each([
  'visitor.claims.unsigned[space.vars.name]',
  'visitor.claims.unsigned == undefined',
  'visitor.claims[space.vars.name]',
  'visitor[page.vars.name].unsigned.plan',
  '"unsigned" in visitor.claims',
  '{{ visitor }}',
])('reports that %s can ask for any claim', (text) => {
  expect(getAskedClaims([text])).toBe('all');
});

test('selects the claims that the texts ask for, at most 20', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`claim${index}`, index]));

  expect(selectAskedClaims({ plan: 'pro', other: 1 }, new Set(['plan', 'language']))).toEqual({ plan: 'pro' });
  expect(Object.keys(selectAskedClaims(many, 'all'))).toHaveLength(20);
});
