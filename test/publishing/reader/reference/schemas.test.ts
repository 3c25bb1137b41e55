import { beforeAll, describe, expect, test } from 'vitest';
import { getElements, getText, parse } from '../html-tree.ts';
import { createReferenceSite, findTexts, getWithClass } from './reference-site.ts';

const createReference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const createBody = (content: object) => ({ description: 'Done', content: { 'application/json': { schema: content } } });
const createQuery = (name: string, value: object) => ({ name, in: 'query', schema: value });

const zoo = {
  openapi: '3.1.0',
  info: { title: 'Zoo', version: '1' },
  paths: {
    '/values': {
      get: {
        operationId: 'values',
        parameters: [
          createQuery('minutes', {
            anyOf: [
              { type: 'integer', enum: [5, 10] },
              { type: 'string', enum: ['today', 'week'] },
            ],
          }),
          createQuery('between', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 100 }),
          createQuery('older', { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9 }),
          createQuery('colors', { type: 'array', uniqueItems: true, items: { type: 'string', enum: ['red', 'blue'] } }),
          createQuery('pair', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] }),
        ],
        responses: {
          200: createBody({
            type: 'object',
            properties: {
              node: createReference('Node'),
              small: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
              pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
            },
          }),
        },
      },
    },
    '/plants': {
      get: {
        operationId: 'plants',
        responses: { 200: createBody({ type: 'array', items: createReference('Plant') }) },
      },
    },
    '/lamps': {
      get: {
        operationId: 'lamps',
        responses: {
          200: {
            ...createBody(createReference('Lamp')),
            links: { next: { operationId: 'getNext', parameters: { after: '$response.body#/id' } } },
          },
        },
      },
      post: {
        operationId: 'feed',
        requestBody: { content: { 'application/json': { schema: createReference('Pet') } } },
        responses: { 204: { description: 'Fed' } },
        callbacks: {
          onDone: {
            '{$request.body#/url}': {
              post: {
                summary: 'Called when done',
                requestBody: createBody({ type: 'object', properties: { weight: { type: 'integer' } } }),
                responses: { 200: { description: 'Received' } },
              },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Node: {
        type: 'object',
        required: ['id', 'parent'],
        properties: { id: { type: 'string' }, parent: createReference('Node'), note: { type: 'string' } },
      },
      Lamp: {
        type: 'object',
        required: ['kind', 'id'],
        discriminator: { propertyName: 'kind', mapping: { floor: '#/components/schemas/FloorLamp' } },
        oneOf: [createReference('FloorLamp'), createReference('DeskLamp')],
        properties: { kind: { type: 'string' }, id: { type: 'integer' } },
      },
      FloorLamp: { allOf: [createReference('Lamp'), { type: 'object', properties: { height: { type: 'number' } } }] },
      DeskLamp: { allOf: [createReference('Lamp'), { type: 'object', properties: { clamp: { type: 'boolean' } } }] },
      Pet: {
        type: 'object',
        required: ['petType', 'name'],
        discriminator: { propertyName: 'petType', mapping: { cat: '#/components/schemas/Cat', dog: 'Dog' } },
        properties: { petType: { type: 'string' }, name: { type: 'string' } },
      },
      Plant: {
        type: 'object',
        required: ['type'],
        discriminator: { propertyName: 'type', mapping: { rosa: 'Rose' } },
        properties: { type: { type: 'string' } },
      },
      Rose: { allOf: [createReference('Plant'), { type: 'object', properties: { color: { type: 'string' } } }] },
      Tree: { allOf: [createReference('Plant'), { type: 'object', properties: { age: { type: 'integer' } } }] },
      Oak: { allOf: [createReference('Tree'), { type: 'object', properties: { acorns: { type: 'integer' } } }] },
      Cat: { allOf: [createReference('Pet'), { type: 'object', properties: { lives: { type: 'integer' } } }] },
      Dog: { allOf: [createReference('Pet'), { type: 'object', properties: { bark: { type: 'boolean' } } }] },
    },
  },
};

const oldZoo = {
  swagger: '2.0',
  info: { title: 'Old zoo', version: '1' },
  paths: {
    '/pets': {
      post: {
        operationId: 'add',
        consumes: ['multipart/form-data'],
        parameters: [{ name: 'picture', in: 'formData', type: 'file', required: true }],
        responses: { 200: { description: 'Added', schema: { $ref: '#/definitions/Pet' } } },
      },
    },
  },
  definitions: {
    Pet: { type: 'object', discriminator: 'kind', required: ['kind'], properties: { kind: { type: 'string' } } },
    Dog: {
      allOf: [{ $ref: '#/definitions/Pet' }, { type: 'object', properties: { bark: { type: 'boolean' } } }],
    },
  },
};

const getSamples = (html: string): string[] =>
  getWithClass(html, 'samples').flatMap((samples) =>
    getElements(samples)
      .filter(({ tagName }) => tagName === 'code')
      .map((code) => getText(code).trim()),
  );

/** Returns the JSON samples of a page. */
const getJson = (html: string): unknown[] =>
  getSamples(html)
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text));

const getSummaries = (html: string): string[] =>
  getElements(parse(html))
    .filter(({ tagName }) => tagName === 'summary')
    .map((summary) => getText(summary).replace(/\s+/g, ' ').trim());

describe('an OpenAPI 3.1 document', () => {
  let [values, lamps, feed, plants] = ['', '', '', ''];
  beforeAll(async () => {
    const site = await createReferenceSite(zoo);
    [values = '', lamps = '', feed = '', plants = ''] = await Promise.all(
      ['values', 'lamps', 'feed', 'plants'].map(async (path) => (await site.read(path)).html),
    );
  });

  test('fields show the allowed values of their variants and items, their bounds, and tuple types', () => {
    expect(findTexts(values, 'field')).toEqual(
      expect.arrayContaining([
        'minutesinteger | stringAny ofintegerOne of 5 10 stringOne of today week',
        'betweennumberRange > 0, < 100',
        'oldernumberRange > 0, ≤ 9',
        'colorsstring[]unique each item: One of red blue',
        expect.stringMatching(/^pair\[string, integer\]/),
      ]),
    );
  });

  test('samples respect bounds, contain tuples, and end a recursion after the required fields', () => {
    expect(getJson(values)).toEqual([
      { node: { id: 'string', parent: { id: 'string' }, note: 'string' }, small: 0.5, pair: ['string', 1] },
    ]);
  });

  test('variants of a discriminator show its value, and the fields of the schema that they extend', () => {
    expect(getSummaries(lamps)).toEqual(expect.arrayContaining(['kind: floor FloorLamp', 'kind: DeskLamp DeskLamp']));
    expect(getJson(lamps)).toEqual([{ kind: 'floor', id: 1, height: 1 }]);
  });

  test('uses the mapping of a discriminator without oneOf to find its variants', () => {
    expect(getSummaries(feed)).toEqual(expect.arrayContaining(['petType: cat Cat', 'petType: dog Dog']));
    expect(getSamples(feed).join('\n')).toContain('"petType": "cat"');
    expect(findTexts(feed, 'field')).toEqual(expect.arrayContaining(['livesinteger', 'barkboolean']));
  });

  test('schemas that extend the schema of a discriminator are variants, named by the mapping or by their own name', () => {
    expect(getSummaries(plants)).toEqual(
      expect.arrayContaining(['type: rosa Rose', 'type: Tree Tree', 'type: Oak Oak']),
    );
    expect(findTexts(plants, 'field')).toEqual(expect.arrayContaining(['colorstring', 'ageinteger', 'acornsinteger']));
  });

  test('callbacks have a section with their URL and body, and responses have their links', () => {
    expect(getSummaries(feed)).toContain('Called when done POST {$request.body#/url}');
    expect(findTexts(feed, 'field')).toContain('weightinteger');
    expect(findTexts(feed, 'outline').join(' ')).toContain('Callbacks');
    expect(findTexts(lamps, 'constraints')).toContain('next getNext after: $response.body#/id');
  });
});

test('renders file parameters of a Swagger 2.0 document as uploads, and finds variants by their names', async () => {
  const { html } = await (await createReferenceSite(oldZoo)).read('add');

  expect(findTexts(html, 'field')).toEqual(
    expect.arrayContaining([expect.stringMatching(/^picturestring<binary>required/)]),
  );
  expect(getSamples(html).join('\n')).toMatch(/picture=@/);
  expect(getSummaries(html)).toContain('kind: Dog Dog');
});
