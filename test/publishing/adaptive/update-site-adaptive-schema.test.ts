import { expect, test } from 'vitest';
import { adaptiveSite, jsonSchema } from './adaptive-site.ts';

const getObject = (properties: unknown) => ({ type: 'object', properties, additionalProperties: false });
const many = (count: number, claim: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`claim${index}`, claim]));
const nested = (depth: number): unknown => getObject(depth === 0 ? {} : { inner: nested(depth - 1) });

test('stores the schema as sent, and updates the timestamp with each write', async () => {
  const { call, put } = await adaptiveSite();
  const first = await put(jsonSchema);
  const second = await put(
    getObject({ seats: { type: 'number' }, teams: { type: 'array', items: { type: 'string' } } }),
  );

  expect([first.status, second.status]).toEqual([200, 200]);
  const [before, after] = [
    (await first.json()) as { updatedAt: string },
    (await second.json()) as { updatedAt: string },
  ];
  expect(before).toMatchObject({ jsonSchema });
  expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
  expect(await (await call('/adaptive-schema')).json()).toEqual(after);
});

test.each<[string, unknown]>([
  ['no object', { type: 'string' }],
  ['other properties', { ...getObject({}), additionalProperties: true }],
  ['another draft', { ...jsonSchema, $schema: 'https://json-schema.org/draft/2020-12/schema' }],
  ['a reference', getObject({ a: { $ref: '#/properties/b' } })],
  ['a pattern', getObject({ a: { type: 'string', pattern: '(a+)+$' } })],
  ['a type that is none', getObject({ a: { type: 'integer' } })],
  ['an enumeration of nothing', getObject({ a: { type: 'string', enum: [] } })],
  ['unsigned claims that are one', getObject({ unsigned: { type: 'boolean' } })],
  ['what is too deep', nested(7)],
  ['too many properties', getObject(many(201, { type: 'boolean' }))],
  ['what is too large', getObject(many(199, { type: 'boolean', description: 'x'.repeat(400) }))],
  [
    'security 42: a claim that every object has',
    JSON.parse('{"type":"object","properties":{"constructor":{"type":"boolean"}},"additionalProperties":false}'),
  ],
])('rejects %s', async (_, schema) => {
  const { call, put } = await adaptiveSite();

  expect((await put(schema)).status).toBe(400);
  expect((await call('/adaptive-schema')).status).toBe(404);
});
