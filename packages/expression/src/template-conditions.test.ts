import { type AdaptiveClaim, type AdaptiveJsonSchema, type Claims, AdaptiveJsonSchema as Schema } from '@octavo/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { createTemplateConditions, isCondition, isShownTo } from './conditions.ts';

const name = fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }).filter((text) => text !== '__proto__');
const leaf: fc.Arbitrary<AdaptiveClaim> = fc.oneof(
  fc.constant({ type: 'boolean' } as const),
  fc.record({
    type: fc.constant('string' as const),
    enum: fc.uniqueArray(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 }),
  }),
);
const claims: fc.Arbitrary<Record<string, AdaptiveClaim>> = fc.dictionary(
  name,
  fc.oneof(
    leaf,
    fc.record({
      type: fc.constant('object' as const),
      properties: fc.dictionary(name, leaf, { maxKeys: 3 }),
      additionalProperties: fc.constant(false as const),
    }),
  ),
  { maxKeys: 4 },
);

/** Returns one set of claims for each value that a condition can compare with. Each set satisfies one condition. */
const createClaims = (properties: Record<string, AdaptiveClaim>): Claims[] =>
  Object.entries(properties).flatMap(([key, claim]): Claims[] => {
    if (claim.type === 'object') return createClaims(claim.properties).map((inner) => ({ [key]: inner }));
    const values = claim.type === 'string' ? (claim.enum ?? []) : [true];
    return values.map((value) => ({ [key]: value }));
  });

test('each condition can be parsed, and is true only for a visitor with its claim', () => {
  holds(
    fc.property(claims, (properties) => {
      const schema = { type: 'object', properties, additionalProperties: false } as unknown as AdaptiveJsonSchema;
      const conditions = createTemplateConditions(schema).map(({ condition }) => condition);
      const visitors = createClaims(properties);

      expect(conditions).toHaveLength(visitors.length);
      for (const [index, condition] of conditions.entries()) {
        expect(isCondition(condition)).toBe(true);
        expect(visitors.map((visitor) => isShownTo(condition, visitor))).toEqual(visitors.map((_, at) => at === index));
        expect(isShownTo(condition, {})).toBe(false);
      }
    }),
  );
});

test('unsigned claims have separate conditions', () => {
  const properties = {
    beta: { type: 'boolean', description: 'Takes part in the beta' },
    unsigned: {
      type: 'object',
      properties: { 'plan-b': { type: 'string', enum: ['a"b'] } },
      additionalProperties: false,
    },
  };

  expect(createTemplateConditions(Schema.parse({ type: 'object', properties, additionalProperties: false }))).toEqual([
    { description: 'Takes part in the beta', condition: 'visitor.claims.beta == true' },
    { description: 'unsigned plan-b: a"b', condition: 'visitor.claims.unsigned["plan-b"] == "a\\"b"' },
  ]);
});

test('returns no conditions for a schema without claims, or with claims of any value', () => {
  const properties = { name: { type: 'string' }, age: { type: 'number' } };

  expect(createTemplateConditions(undefined)).toEqual([]);
  expect(createTemplateConditions(Schema.parse({ type: 'object', properties, additionalProperties: false }))).toEqual(
    [],
  );
});
