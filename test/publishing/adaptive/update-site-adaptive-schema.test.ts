import { expect, test } from 'vitest';
import { jsonSchema, makeAdaptiveSite } from './adaptive-site.ts';

const getObject = (properties: unknown) => ({ type: 'object', properties, additionalProperties: false });
const createClaims = (count: number, claim: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`claim${index}`, claim]));
const createNestedObject = (depth: number): unknown =>
  getObject(depth === 0 ? {} : { inner: createNestedObject(depth - 1) });

test('stores the schema as sent, and updates the timestamp with each write', async () => {
  const { call, put } = await makeAdaptiveSite();
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
  ['a value that is not an object', { type: 'string' }],
  ['other properties', { ...getObject({}), additionalProperties: true }],
  ['another draft', { ...jsonSchema, $schema: 'https://json-schema.org/draft/2020-12/schema' }],
  ['a reference', getObject({ a: { $ref: '#/properties/b' } })],
  ['a pattern', getObject({ a: { type: 'string', pattern: '(a+)+$' } })],
  ['an unknown type', getObject({ a: { type: 'integer' } })],
  ['an empty enumeration', getObject({ a: { type: 'string', enum: [] } })],
  ['unsigned claims that are a boolean', getObject({ unsigned: { type: 'boolean' } })],
  ['a schema that is nested too deep', createNestedObject(7)],
  ['too many properties', getObject(createClaims(201, { type: 'boolean' }))],
  ['a schema that is too large', getObject(createClaims(199, { type: 'boolean', description: 'x'.repeat(400) }))],
  [
    'a claim with the name of an object member',
    JSON.parse('{"type":"object","properties":{"constructor":{"type":"boolean"}},"additionalProperties":false}'),
  ],
])('rejects %s', async (_, schema) => {
  const { call, put } = await makeAdaptiveSite();

  expect((await put(schema)).status).toBe(400);
  expect((await call('/adaptive-schema')).status).toBe(404);
});
