import { expect, test } from 'vitest';
import { findOperation, getExcerpt as getExcerptInSteps, type WantedParts } from './excerpt.ts';
import { IndexedDocument } from './indexed-document.ts';

const indexDocument = (document: string | object, urls: object = { source: 'https://a.test/api.json' }) => {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const responseText = `{"filesystem":[ {"filename":"a \\"]} b","specification": ${text} } ],"url":"x","urls":${JSON.stringify(urls)}}`;
  return finish(IndexedDocument.read(new TextEncoder().encode(responseText)));
};

/** Runs the steps of a generator. */
function finish<Result>(steps: Generator<number, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    expect(step.value).toBeGreaterThanOrEqual(0);
  }
}

const getExcerpt = (from: IndexedDocument, parts: WantedParts) => finish(getExcerptInSteps(from, parts));
const nothing = { operations: [], webhooks: [], schemas: [] };
const ref = (pointer: string) => ({ $ref: `#/${pointer}` });

const shop = {
  openapi: '3.1.0',
  info: { title: '} ] " \\ é 🐶' },
  paths: {
    '/a b': { get: { x: ref('components/schemas/A') }, post: { x: ref('components/schemas/Unwanted') } },
    '/other': { get: {} },
  },
  components: {
    schemas: { A: { b: ref('components/schemas/B') }, B: { a: ref('components/schemas/A') }, Unwanted: {} },
    responses: { Unwanted: {} },
  },
};

test('an excerpt contains an operation and everything it refers to, also through cycles, and nothing else', () => {
  const excerpt = getExcerpt(indexDocument(shop), { ...nothing, operations: [{ path: '/a b', method: 'get' }] });

  expect(excerpt).toEqual({
    ...{ openapi: shop.openapi, info: shop.info },
    paths: { '/a b': { get: shop.paths['/a b'].get } },
    components: { schemas: { A: shop.components.schemas.A, B: shop.components.schemas.B } },
  });
  expect(findOperation(excerpt, { key: 'paths', name: '/a b', method: 'get' })?.operation).toEqual(
    shop.paths['/a b'].get,
  );
  expect(findOperation(excerpt, { key: 'paths', name: '/a b', method: 'constructor' })).toBeUndefined();
});

test('parses white space, escapes and duplicate keys like JSON', () => {
  const text = `\n{ "info" : { "a" : [ 1 , { } ] } ,\t"paths":{"\\u002fx":{"get":{"n":1}} , "/x" : { "get" : {"n":-2.5e3} }},"openapi":"3.1.0"}\n`;
  const excerpt = getExcerpt(indexDocument(text), { ...nothing, operations: [{ path: '/x', method: 'get' }] });

  expect(excerpt).toEqual({ openapi: '3.1.0', info: { a: [1, {}] }, paths: { '/x': { get: { n: -2500 } } } });
  expect(indexDocument(text).source).toBe('https://a.test/api.json');
});

test('handles names of inherited object properties', () => {
  const text =
    '{"components":{"schemas":{"__proto__":{"$ref":"#/components/schemas/constructor"},"constructor":{"a":1}}}}';
  const excerpt = getExcerpt(indexDocument(text), { ...nothing, schemas: ['__proto__', 'toString'] });

  expect(JSON.stringify(excerpt)).toBe(text);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});

test('keeps broken and oversized references', () => {
  const large = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`S${index}`, { x: 'x'.repeat(100_000) }]));
  const A = {
    anyOf: [
      ref('components/schemas/None'),
      ref('none/at/all'),
      ...Object.keys(large).map((name) => ref(`components/schemas/${name}`)),
    ],
  };
  const { components } = getExcerpt(indexDocument({ components: { schemas: { A, ...large } } }), {
    ...nothing,
    schemas: ['A'],
  });

  expect(components).toMatchObject({ schemas: { A } });
  expect(JSON.stringify(components).length).toBeLessThan(4_500_000);
});

test('includes a part of the document as a whole if it should be an object but is not', () => {
  const document = { paths: [1], components: 'x', webhooks: { a: ref('components') } };

  expect(
    getExcerpt(indexDocument(document), { ...nothing, webhooks: [{ name: 'a', method: 'get' }], schemas: ['A'] }),
  ).toEqual({
    ...{ components: 'x', webhooks: { a: ref('components') } },
  });
});

test('finds parts of a large document in short steps', () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`S${index}`, { description: 'x'.repeat(2000) }]),
  );
  const large = { openapi: '3.1.0', 'x-large': Array(40_000).fill('words and words'), components: { schemas } };
  const responseText = JSON.stringify({ filesystem: [{ specification: large }] });
  const durations = [...IndexedDocument.read(new TextEncoder().encode(responseText))];

  expect(Math.max(...durations)).toBeLessThan(1000);
  expect(durations.reduce((sum, each) => sum + each)).toBeGreaterThan(responseText.length / 1000);
  expect([...getExcerptInSteps(indexDocument(large), { ...nothing, schemas: Object.keys(schemas) })]).toHaveLength(501);
});
