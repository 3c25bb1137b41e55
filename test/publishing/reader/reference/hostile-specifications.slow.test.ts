import { expect, test } from 'vitest';
import { getElements, parse } from '../html-tree.ts';
import { createReferenceSite, findTexts } from './reference-site.ts';

const maxBytes = 1_500_000;

const createSpecification = (operation: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Hostile', version: '1' },
  paths: { '/x': { post: { operationId: 'x', responses: { 200: { description: 'ok' } }, ...operation } } },
  ...more,
});
const createOperationWithBody = (schema: object, schemas: object = {}) =>
  createSpecification({ requestBody: { content: { 'application/json': { schema } } } }, { components: { schemas } });

const running =
  '<script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">a</a>[b](javascript:alert(1))';

test('code in texts, names, URLs and examples of a specification never runs', async () => {
  const site = await createReferenceSite({
    ...createSpecification({
      summary: running,
      description: `${running}\n\n# ${running}\n\n{% include "/reusable-contents/x" %}`,
      tags: [],
      parameters: [{ name: running, in: 'query', description: running, example: running, schema: { enum: [running] } }],
      requestBody: {
        description: running,
        content: { [running]: { schema: { title: running, properties: { [running]: { description: running } } } } },
      },
      responses: { [running]: { description: running, headers: { [running]: { description: running } } } },
      security: [{ [running]: [running] }],
      'x-codeSamples': [{ lang: running, label: running, source: running }],
    }),
    servers: [{ url: 'javascript:alert(1)' }, { url: `https://a.test/"><script>alert(1)</script>` }],
    components: {
      securitySchemes: {
        [running]: {
          ...{ type: 'oauth2', description: running },
          flows: { implicit: { authorizationUrl: 'javascript:alert(1)', scopes: { [running]: running } } },
        },
      },
    },
  });

  const { html, status } = await site.read('x');

  expect([status, findTexts(html, 'reference')]).toEqual([200, [expect.any(String)]]);
  const elements = getElements(parse(html));
  const scripts = elements.filter(({ tagName }) => tagName === 'script');
  expect(scripts.map(({ properties }) => properties.type ?? properties.src ?? 'theme')).toHaveLength(3);
  for (const { properties } of elements) {
    const names = Object.keys(properties);
    expect(names.filter((name) => /^on|^style$|^srcdoc$/i.test(name))).toEqual([]);
    expect(String(properties.href ?? '')).not.toMatch(/^\s*(?:javascript|data:text)/i);
  }
});

const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field${index}`, { type: 'string' }]));
const deep = Array.from({ length: 40 }).reduce<object>((inner) => ({ properties: { inner } }), { type: 'string' });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const createSchemaBomb = (key: string) =>
  Object.fromEntries(
    Array.from({ length: 12 }, (_, level) => [
      `L${level}`,
      { [key]: Array.from({ length: 12 }, (_each, index) => ({ ...ref(`L${level + 1}`), title: `T${index}` })) },
    ]),
  );
const fanning = Object.fromEntries(
  Array.from({ length: 30 }, (_, level) => [
    `L${level}`,
    {
      properties: Object.fromEntries(
        Array.from({ length: 30 }, (_each, index) => [`p${index}`, ref(`L${(level + index) % 30}`)]),
      ),
    },
  ]),
);

test.each([
  ['10,000 fields', createOperationWithBody({ properties: wide })],
  ['deeply nested fields', createOperationWithBody(deep)],
  [
    'a schema that contains itself',
    createOperationWithBody(ref('A'), { A: { properties: { a: ref('A'), b: { items: ref('A') } } } }),
  ],
  ['circular references', createOperationWithBody(ref('A'), { A: ref('B'), B: ref('A') })],
  [
    'a schema with itself in allOf',
    createOperationWithBody(ref('A'), { A: { allOf: [ref('A'), ref('A'), { properties: { a: {} } }] } }),
  ],
  ...['allOf', 'oneOf', 'anyOf'].map((key): [string, object] => [
    `${key} of ever more`,
    createOperationWithBody(ref('L0'), createSchemaBomb(key)),
  ]),
  ['thirty schemas that each refer to all', createOperationWithBody(ref('L0'), fanning)],
  ['a long text', createSpecification({ description: '*a* '.repeat(500_000), summary: 'x'.repeat(100_000) })],
  [
    'a long example',
    createSpecification({ requestBody: { content: { 'application/json': { example: 'x'.repeat(3_000_000) } } } }),
  ],
  [
    '5,000 parameters',
    createSpecification({
      parameters: Array.from({ length: 5000 }, (_, index) => ({ name: `p${index}`, in: 'query' })),
    }),
  ],
  [
    'parts with unexpected types',
    createSpecification({ parameters: 'x', requestBody: [], responses: { 200: null }, security: [1], servers: {} }),
  ],
])('%s: the page stays within a readable size', async (_what, document) => {
  const site = await createReferenceSite(document);
  const start = performance.now();

  const { html, status } = await site.read('x');

  expect([status, findTexts(html, 'reference').length]).toEqual([200, 1]);
  expect(html.length).toBeLessThan(maxBytes);
  expect(performance.now() - start).toBeLessThan(10_000);
});
