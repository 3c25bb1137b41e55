import { expect, test } from 'vitest';
import { SpecificationFault } from './document.ts';
import { readSpecification } from './read-specification.ts';

const read = (text: string | Uint8Array) =>
  readSpecification(typeof text === 'string' ? new TextEncoder().encode(text) : text, async () => undefined);

/** Returns the error message for a text that cannot be read. */
const getFault = (text: string | Uint8Array): Promise<string> =>
  read(text).then(
    () => 'no fault',
    (error: unknown) => (error instanceof SpecificationFault ? error.message : `${error}`),
  );

const sound = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} };
const createSpecification = (paths: object, more: object = {}) => JSON.stringify({ ...sound, paths, ...more });
const createYaml = (lines: string) => `openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\n${lines}`;

test('stores an OpenAPI 3 text in JSON unchanged, and converts any other text', async () => {
  const text = JSON.stringify(sound);

  expect((await read(text)).document).toBeUndefined();
  expect(await read(`\ufeff${text}`)).toMatchObject({ format: 'json', document: sound });
  expect(await read(createYaml(''))).toMatchObject({ format: 'yaml', document: sound });
});

test('converts Swagger 2.0 to OpenAPI 3.1, in JSON and in YAML', async () => {
  const swagger = {
    swagger: '2.0',
    info: { title: 'T', version: '1' },
    host: 'api.example.test',
    basePath: '/v1',
    schemes: ['https'],
    paths: {
      '/pets': {
        post: {
          parameters: [{ in: 'body', name: 'pet', schema: { $ref: '#/definitions/Pet' } }],
          responses: { 200: { description: 'ok', schema: { $ref: '#/definitions/Pet' } } },
        },
      },
    },
    definitions: { Pet: { type: 'object' } },
  };
  const schema = { $ref: '#/components/schemas/Pet' };

  for (const text of [JSON.stringify(swagger), `# YAML\n${JSON.stringify(swagger, null, 1)}`]) {
    const { document, entries } = await read(text);
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      servers: [{ url: 'https://api.example.test/v1' }],
      paths: { '/pets': { post: { requestBody: { content: { 'application/json': { schema } } } } } },
      components: { schemas: { Pet: { type: 'object' } } },
    });
    expect(document).not.toHaveProperty('swagger');
    expect(entries.map(({ kind }) => kind)).toEqual(['operation', 'model']);
  }
});

test('accepts an unquoted version in YAML', async () => {
  expect(await getFault('swagger: 2.0\ninfo: {}\npaths: {}\n')).toBe('no fault');
});

test.each([
  ['', 'The specification is empty.'],
  [' \n\t', 'The specification is empty.'],
  ['<!doctype html><html></html>', 'This is an HTML or XML page, not a specification.'],
  ['\n <?xml version="1.0"?><a/>', 'This is an HTML or XML page, not a specification.'],
  ['words', 'The specification must be an object with a field openapi or swagger.'],
  ['[1, 2]', 'The specification must be an object with a field openapi or swagger.'],
  ['null', 'The specification must be an object with a field openapi or swagger.'],
  ['{}', 'The specification has no version: the field openapi or swagger is missing.'],
  ['asyncapi: 3.0.0\n', 'The specification has no version: the field openapi or swagger is missing.'],
  ['{"openapi": "3.2.0"}', 'The version 3.2.0 is not supported. Use Swagger 2.0, OpenAPI 3.0 or 3.1.'],
  ['{"openapi": "4"}', 'The version 4 is not supported. Use Swagger 2.0, OpenAPI 3.0 or 3.1.'],
  ['{"swagger": "1.2"}', 'The version 1.2 is not supported. Use Swagger 2.0, OpenAPI 3.0 or 3.1.'],
  ['{"openapi": {"a": 1}}', 'The version of the specification is not supported. Use Swagger 2.0, OpenAPI 3.0 or 3.1.'],
  ['{"openapi": "3.1.0", "info": {}}', 'The specification has no paths.'],
  ['{"openapi": "3.1.0", "info": [], "paths": {}}', 'info must be an object.'],
  ['{"openapi": "3.1.0", "paths": []}', 'paths must be an object.'],
  ['{"openapi": "3.1.0", "paths": {"/a b": 1}}', 'paths["/a b"] must be an object.'],
  ['{"openapi": "3.1.0", "paths": {"/a": {"get": []}}}', 'paths["/a"].get must be an object.'],
  ['{"openapi": "3.1.0", "paths": {}, "tags": {}}', 'tags must be a list.'],
  ['{"openapi": "3.1.0", "paths": {}, "tags": [{"name": "a"}, "b"]}', 'tags[1] must be an object with a name.'],
  ['{"openapi": "3.1.0", "paths": {}, "components": {"schemas": []}}', 'components.schemas must be an object.'],
])('%j is rejected with the reason and path', async (text, message) => {
  expect(await getFault(text)).toBe(message);
});

test.each([
  [
    '{"openapi": "3.1.0",\n "paths": {,}}',
    'The specification is neither valid JSON nor valid YAML: line 2, column 12: ',
  ],
  ['{"openapi": "3.1.0"\n "paths": {}}', 'The specification is neither valid JSON nor valid YAML: line 2, column'],
  [createYaml('a: [\n'), 'The specification is neither valid JSON nor valid YAML: line 5, column 1: '],
  [
    createYaml('a: 1\na: 2\n'),
    'The specification is neither valid JSON nor valid YAML: line 5, column 1: duplicated mapping key',
  ],
  [
    createYaml('a: "\0"\n'),
    'The specification is neither valid JSON nor valid YAML: line 4, column 5: null byte is not allowed in input',
  ],
  [
    createYaml('a: !!js/function x\n'),
    'The specification is neither valid JSON nor valid YAML: line 4, column 4: unknown scalar tag',
  ],
  [createYaml('---\na: 1\n'), 'The specification is neither valid JSON nor valid YAML: expected a single document'],
])('%j is rejected with the line of the error', async (text, message) => {
  expect(await getFault(text)).toContain(message);
});

test('rejects a text that is not UTF-8', async () => {
  expect(await getFault(new Uint8Array([0x7b, 0xff, 0x7d]))).toBe('The specification must be UTF-8.');
});

test('rejects references to other documents, with their path', async () => {
  const schema = { $ref: 'http://127.0.0.1:1/pet.json' };
  const text = createSpecification({
    '/pets': { $ref: './pets.yaml' },
    '/cats': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } },
  });

  expect(await getFault(text)).toBe(
    'The specification refers to other documents: ./pets.yaml (paths["/pets"]), http://127.0.0.1:1/pet.json ' +
      '(paths["/cats"].get.responses["200"].content["application/json"].schema). Bundle them into one document.',
  );
  expect(await getFault(createSpecification({ '/a': { $ref: 'file:///etc/passwd' } }))).toContain(
    'file:///etc/passwd (paths',
  );
});

test('accepts other values that only look like a reference', async () => {
  const $ref = 'other.json';
  const schemas = {
    Data: { example: { $ref }, default: { $ref }, enum: [{ $ref }], const: { $ref }, examples: [{ $ref }] },
    Named: { properties: { $ref: { type: 'string' }, example: { type: 'string' } } },
    Extended: { 'x-origin': { $ref } },
    Example: { content: { examples: { one: { value: { $ref } } } } },
  };

  expect(await getFault(createSpecification({}, { components: { schemas } }))).toBe('no fault');
  expect(
    await getFault(createSpecification({}, { components: { schemas: { A: { properties: { example: { $ref } } } } } })),
  ).toContain('other.json (components.schemas.A.properties.example)');
});

test('accepts circular references', async () => {
  const text = createSpecification(
    { '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1a' }, '/c': { $ref: '#/paths/~1c' } },
    { components: { schemas: { Tree: { properties: { child: { $ref: '#/components/schemas/Tree' } } } } } },
  );

  expect((await read(text)).entries).toMatchObject([{ kind: 'model', name: 'Tree' }]);
});

test('rejects recursive aliases, and nested aliases that expand to a million values', async () => {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const item = level === 0 ? 'x' : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array.from({ length: 10 }, () => item).join(', ')}]`;
  });
  const cyclic = 'a: &a {b: [*a]}';

  expect(await getFault(createYaml(levels.join('\n')))).toBe('The specification has too many values.');
  expect(await getFault(createYaml(cyclic))).toBe('The specification is nested more than 100 levels deep.');
  expect(await getFault(createYaml(`a: &a x\nb: [${'*a, '.repeat(10_001)}]`))).toContain('aliases');
});

test('rejects nested aliases that expand to more text than a specification can have', async () => {
  const aliases = `a: &a ${'x'.repeat(1_000_000)}\nb: [${'*a, '.repeat(16)}]`;

  expect(await getFault(createYaml(aliases))).toBe('The specification has too much text.');
  expect(await getFault(createYaml(aliases.replace('*a, *a', '*a')))).toBe('no fault');
});

test('resolves aliases and merged keys', async () => {
  const { document } = await read(createYaml('x-base: &base {a: 1}\nx-more: {<<: *base, b: 2}\nx-same: *base\n'));

  expect(document).toMatchObject({ 'x-more': { a: 1, b: 2 }, 'x-same': { a: 1 } });
});

test('limits nesting, in JSON and in YAML', async () => {
  const createNested = (depth: number) =>
    `{"openapi": "3.1.0", "paths": {}, "x": ${'['.repeat(depth)}${']'.repeat(depth)}}`;

  expect(await getFault(createNested(99))).toBe('no fault');
  expect(await getFault(createNested(100))).toBe('The specification is nested more than 100 levels deep.');
  expect(await getFault(createNested(1_000_000))).toBe('The specification is nested more than 100 levels deep.');
  expect(await getFault(createYaml(`a: ${'['.repeat(100_000)}`))).toContain('nesting exceeded maxDepth');
});

test('rejects oversized content before parsing', async () => {
  const neverEnds = '{"openapi": "3.1.0", "x": [';

  expect(await getFault(`${neverEnds}${'1,'.repeat(1_000_000)}`)).toBe('The specification has too many values.');
  expect(await getFault(createYaml(`a: [${'b,'.repeat(600_000)}`))).toBe('The specification has too many values.');
  expect(await getFault(`${neverEnds}${'['.repeat(200)}`)).toBe(
    'The specification is nested more than 100 levels deep.',
  );
  expect(await getFault(createYaml(`a: [${'b'.repeat(5 * 1024 * 1024)}`))).toContain('in YAML can have at most 5 MiB');
  expect(await getFault(`{"${'x'.repeat(16 * 1024 * 1024)}`)).toBe('A specification can have at most 16 MiB.');
});

test('handles keys that objects inherit', async () => {
  const text = `{"openapi": "3.1.0", "info": {}, "__proto__": {"polluted": true}, "paths": {"/a": {"get": {"__proto__": {"summary": "no"}, "operationId": "constructor"}}}, "components": {"schemas": {"__proto__": {"title": "Proto"}, "toString": {}}}}`;

  const { entries } = await read(text);
  const swagger = await read(text.replace('"openapi": "3.1.0"', '"swagger": "2.0"'));

  for (const entryList of [entries, swagger.entries])
    expect(entryList.map(({ name, title }) => [name, title])).toEqual([
      ['constructor', 'constructor'],
      ['__proto__', 'Proto'],
      ['toString', 'toString'],
    ]);
  expect({}).not.toHaveProperty('polluted');
});

test('adds the implicit mapping of a discriminator: all schemas that extend its schema, directly or indirectly', async () => {
  const extend = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });
  const schemas = {
    Pet: { discriminator: { propertyName: 'kind', mapping: { tom: 'Cat', Fish: '#/components/schemas/Bird' } } },
    Cat: extend('Pet'),
    Dog: extend('Pet'),
    'Dog/small~1%': extend('Dog'),
    Fish: extend('Pet'),
    Circle: { ...extend('Circle'), discriminator: { propertyName: 'kind' } },
    Plant: { discriminator: { propertyName: 'kind' }, oneOf: [{ $ref: '#/components/schemas/Tree' }] },
    Tree: extend('Plant'),
  };
  const { document } = await read(createSpecification({}, { components: { schemas } }));

  expect(document?.components).toEqual({
    schemas: {
      ...schemas,
      Pet: {
        discriminator: {
          propertyName: 'kind',
          mapping: {
            tom: 'Cat',
            Fish: '#/components/schemas/Bird',
            Dog: '#/components/schemas/Dog',
            'Dog/small~1%': '#/components/schemas/Dog~1small~01%25',
          },
        },
      },
    },
  });
});

/** Returns the number of generated names in all mappings. */
async function countNames(schemas: object): Promise<number | undefined> {
  const { document } = await read(createSpecification({}, { components: { schemas } }));
  return JSON.stringify(document).match(/":"#\/components\/schemas\/(?:S|Item)\d+"/g)?.length;
}

test('adds at most 50 subtypes to a discriminator, and 10,000 to a document', async () => {
  const levels = Array.from({ length: 3000 }, (_, level) => [
    `S${level}`,
    { discriminator: { propertyName: 'kind' }, allOf: [{ $ref: `#/components/schemas/S${level - 1}` }] },
  ]);
  const items = Array.from({ length: 100 }, (_, index) => [
    `Item${index}`,
    { allOf: [{ $ref: '#/components/schemas/Base' }] },
  ]);
  const references = levels.length - 1;

  expect(await countNames({ Base: { discriminator: {} }, ...Object.fromEntries(items) })).toBe(50);
  expect(await countNames(Object.fromEntries(levels))).toBe(10_000 + references);
});

test('resolves the parents of a schema once, however many schemas extend it', async () => {
  const parents = Array.from({ length: 50_000 }, () => ({ $ref: '#/components/schemas/Root' }));
  const items = Array.from({ length: 4_000 }, (_, index) => [
    `S${index}`,
    { allOf: [{ $ref: '#/components/schemas/Base' }] },
  ]);
  // Without the stored parents, this takes 200 million lookups, which is far longer than the time limit of a test.
  expect(
    await countNames({ Root: { discriminator: {} }, Base: { allOf: parents }, ...Object.fromEntries(items) }),
  ).toBe(49);
});

test('the last of duplicate JSON keys wins', async () => {
  const { entries } = await read('{"openapi": "3.1.0", "paths": {"/a": {"get": {}}}, "paths": {"/b": {"get": {}}}}');

  expect(entries.map(({ path }) => path)).toEqual(['/b']);
});
