import { type AdaptiveJsonSchema, type Claims, AdaptiveJsonSchema as Schema } from '@octavo/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { getConformingClaims } from './conforming-claims.ts';

const getSchema = (properties: unknown): AdaptiveJsonSchema =>
  Schema.parse({ type: 'object', properties, additionalProperties: false });

const schema = getSchema({
  beta: { type: 'boolean' },
  plan: { type: 'string', enum: ['free', 'paid'] },
  seats: { type: 'number' },
  teams: { type: 'array', items: { type: 'string' } },
  account: {
    type: 'object',
    properties: { region: { type: 'string', enum: ['eu'] }, trial: { type: 'boolean' } },
    additionalProperties: false,
  },
  unsigned: { type: 'object', properties: { language: { type: 'string' } }, additionalProperties: false },
});

test('keeps matching claims, also in objects, and drops all others', () => {
  const signed = {
    beta: true,
    plan: 'gold',
    seats: 3,
    teams: ['a', 'b'],
    account: { region: 'eu', trial: 'yes', other: 1 },
    unknown: true,
  };

  expect(getConformingClaims(schema, { signed, unsignedClaims: { language: 'fr', beta: false } })).toEqual({
    beta: true,
    seats: 3,
    teams: ['a', 'b'],
    account: { region: 'eu' },
    unsigned: { language: 'fr' },
  });
});

test.each([
  [{ beta: 'true' }],
  [{ plan: 'Paid' }],
  [{ plan: ['paid'] }],
  [{ seats: '3' }],
  [{ teams: 'a' }],
  [{ teams: ['a', 1] }],
  [{ account: ['eu'] }],
  [{ account: null }],
  [{ account: 'eu' }],
])('drops invalid claims: %j', (signed) => {
  expect(getConformingClaims(schema, { signed: signed as Claims, unsignedClaims: {} })).toEqual({});
});

test.each([[schema], [undefined]])('accepts no signed claim as an unsigned one, or the reverse', (known) => {
  const forged = { unsigned: { language: 'de' }, beta: true };

  expect(getConformingClaims(known, { signed: { unsigned: { language: 'fr' } }, unsignedClaims: {} })).toEqual({});
  expect(getConformingClaims(known, { signed: {}, unsignedClaims: forged })).not.toHaveProperty('beta');
});

test('accepts all claims without a schema, except registered ones', () => {
  const signed = { plan: 'gold', exp: 1, iat: 2, nbf: 3, jti: 'x', sub: 'me' };

  expect(getConformingClaims(undefined, { signed, unsignedClaims: { any: [1, { deep: null }] } })).toEqual({
    plan: 'gold',
    sub: 'me',
    unsigned: { any: [1, { deep: null }] },
  });
});

test.each([[schema], [undefined]])('ignores claims with the name of an object member', (known) => {
  const forged = JSON.parse('{"__proto__": {"beta": true}, "constructor": {"beta": true}, "x": {"__proto__": 1}}');
  const claims = getConformingClaims(known, { signed: forged, unsignedClaims: forged });

  expect(JSON.stringify(claims)).not.toMatch(/__proto__|constructor/);
  expect(claims?.beta).toBeUndefined();
  expect(Object.getPrototypeOf(claims)).toBe(Object.prototype);
});

test('drops unsigned claims that are too large, and rejects signed ones', () => {
  const large = 'x'.repeat(4090);

  expect(getConformingClaims(undefined, { signed: { plan: 'paid' }, unsignedClaims: { large } })).toEqual({
    plan: 'paid',
  });
  expect(getConformingClaims(undefined, { signed: { large: `${large}x` }, unsignedClaims: { a: 1 } })).toBeUndefined();
  expect(
    getConformingClaims(getSchema({ plan: { type: 'string' } }), {
      signed: { plan: 'ü'.repeat(2100) },
      unsignedClaims: {},
    }),
  ).toBeUndefined();
});

test('dropped claims do not count towards the limits', () => {
  expect(getConformingClaims(schema, { signed: { beta: true, other: 'x'.repeat(9000) }, unsignedClaims: {} })).toEqual({
    beta: true,
  });
});

/** Reverses the order of the names in a value, on each level. */
function reverseNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, each]) => [name, reverseNames(each)])
      .reverse(),
  );
}

test('equal claims have equal text in any order', () => {
  const json = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.dictionary(fc.string(), fc.boolean()))));
  holds(
    fc.property(json, fc.constantFrom(schema, undefined), (claims, known) => {
      const turned = reverseNames(claims) as Record<string, unknown>;
      const createText = (signed: Record<string, unknown>) =>
        JSON.stringify(getConformingClaims(known, { signed: signed as Claims, unsignedClaims: signed as Claims }));

      expect(createText(turned)).toBe(createText(claims));
    }),
  );
});
