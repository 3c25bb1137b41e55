import { posix } from 'node:path';
import type { Endpoint } from '@octavo/schema';
import { contracts } from '@octavo/schema';
import { documentation } from '@octavo/schema/documentation';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../workers/gateway/src/openapi.ts';
import { getSources } from '../support/sources.ts';

interface Schema {
  $ref?: string;
  const?: unknown;
  description?: string;
  examples?: unknown[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
}
interface Media {
  schema: Schema;
  example?: unknown;
}
interface Body {
  description?: string;
  headers?: Record<string, { description?: string }>;
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: { name: string; description?: string }[];
  requestBody?: Body;
  responses: Record<string, Body>;
}
interface Document {
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Body> };
}

const document: Document = JSON.parse(
  JSON.stringify(openApiDocument(contracts, { url: 'https://api.example.test', version: '0.1.0', documentation })),
);
const { schemas, responses } = document.components;

// Each validator is used once, so optimizing its code takes longer than it saves.
const ajv = new Ajv2020({ strict: false, formats: { base64: true }, inlineRefs: false, code: { optimize: false } });
formats.default(ajv);
ajv.addSchema({ $id: 'api', components: { schemas } });

const validators = new Map<string, ValidateFunction>();

/** Returns the validator of a schema whose references are resolved in the document. Many bodies have equal schemas. */
function getValidator(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/');
  const validator = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validator);
  return validator;
}

const endpoints: Record<string, Endpoint> = Object.assign({}, ...Object.values(contracts));
const operations = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .filter(({ operationId }) => operationId in endpoints);
const named = Object.entries(schemas);

/** Words that docs and code must not use (design: language). */
const dialect =
  /\b(?:told|tells?|anew|stands?(?! for)|whoever|nobody|somebody|gives? way|leads? (?:to|nowhere)|hands? (?:over|out)|is answered|brings|comes (?:along|in)|taken away|an own)\b/i;

/** Whether a text has at least three words and none of `dialect`, and starts and ends like a sentence. */
const isSentence = (text = ''): boolean =>
  /^[A-Z`].*\.$/s.test(text) && text.split(/\s+/).length >= 3 && !dialect.test(text);

const getJson = (body: Body | undefined): Media | undefined => body?.content?.['application/json'];

const getSuccessMedia = ({ operationId, responses }: Operation): Media | undefined =>
  getJson(responses[endpoints[operationId]?.success ?? '']);

/** Returns the properties of a schema at every depth, by path. Does not follow schemas with a name. */
function getProperties(schema: Schema, path = ''): [path: string, property: Schema][] {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((part) => getProperties(part, path));
  const items = schema.items === undefined ? [] : getProperties(schema.items, `${path}[]`);
  const others =
    typeof schema.additionalProperties === 'object'
      ? getProperties(schema.additionalProperties, path === '' ? '*' : `${path}.*`)
      : [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]): [string, Schema][] => {
    const at = path === '' ? name : `${path}.${name}`;
    return [[at, property], ...getProperties(property, at)];
  });
  return [...parts, ...items, ...others, ...own];
}

const findUndescribed = (schema: Schema, path: string): string[] =>
  getProperties(schema).flatMap(([at, { description }]) => (isSentence(description) ? [] : [`${path} ${at}`]));

test('the description of every tag and operation consists of whole sentences', () => {
  const described = [
    ...document.tags.map(({ name, description }) => ({ name, description })),
    ...operations.map(({ operationId: name }) => ({ name, description: documentation.operations[name]?.description })),
  ];

  expect(described.flatMap(({ name, description }) => (isSentence(description) ? [] : [name]))).toEqual([]);
});

test('every summary is a short phrase in plain words', () => {
  const faults = operations.filter(
    ({ summary }) => summary.length > 70 || summary.endsWith('.') || dialect.test(summary),
  );

  expect(faults.map(({ operationId }) => operationId)).toEqual([]);
});

test('every response and its headers have descriptions', () => {
  const all = [...Object.values(responses), ...operations.flatMap((each) => Object.values(each.responses))];
  const texts = all.flatMap(({ description, headers = {} }) => [
    description,
    ...Object.values(headers).map((header) => header.description),
  ]);

  expect([...new Set(texts)].filter((text) => text !== undefined && !isSentence(text))).toEqual([]);
});

test('every parameter has a description', () => {
  const faults = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.flatMap(({ name, description }) => (isSentence(description) ? [] : [`${operationId} ${name}`])),
  );

  expect(faults).toEqual([]);
});

test('every property of a body or response has a description', () => {
  const faults = operations.flatMap((operation) =>
    [getJson(operation.requestBody), getSuccessMedia(operation)].flatMap((media) =>
      media === undefined ? [] : findUndescribed(media.schema, operation.operationId),
    ),
  );

  expect(faults).toEqual([]);
});

test('every schema with a name has a description and an example, and its properties have descriptions', () => {
  const faults = named.flatMap(([name, schema]) => [
    ...(isSentence(schema.description) ? [] : [`${name} description`]),
    ...(schema.examples?.length === 1 ? [] : [`${name} example`]),
    ...findUndescribed(schema, name),
  ]);

  expect(faults).toEqual([]);
});

/** Returns the path of a value that parsing removed, because the schema does not have it. */
function findRemovedFields(original: unknown, parsed: unknown, path = ''): string[] {
  if (typeof original !== 'object' || original === null) return [];
  const other = (parsed ?? {}) as Record<string, unknown>;
  return Object.entries(original).flatMap(([name, value]) =>
    name in other ? findRemovedFields(value, other[name], `${path}.${name}`) : [`${path}.${name}`],
  );
}

const getFaults = (schema: Endpoint['body'], media: Media | undefined): string[] => {
  if (schema === undefined || media === undefined) return [];
  if (media.example === undefined) return ['has no example'];
  const { success, data, error } = schema.safeParse(media.example);
  return success
    ? findRemovedFields(media.example, data)
    : error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
};

test('the examples of bodies and responses conform to the contracts', () => {
  const faults = operations.flatMap((operation) => {
    const { body, response } = endpoints[operation.operationId] ?? {};
    const all = [
      ...getFaults(body, getJson(operation.requestBody)),
      ...getFaults(response, getSuccessMedia(operation)),
    ];
    return all.map((fault) => `${operation.operationId} ${fault}`);
  });

  expect(faults).toEqual([]);
});

test('the examples of bodies and responses conform to the schemas of the document', () => {
  const faults = [
    ...operations.flatMap((operation) => [getJson(operation.requestBody), getSuccessMedia(operation)]),
    ...Object.values(responses).map(getJson),
  ].flatMap((media) => {
    if (media === undefined) return [];
    const isValid = getValidator(media.schema);
    return isValid(media.example) ? [] : [`${JSON.stringify(media.example)} ${ajv.errorsText(isValid.errors)}`];
  });

  expect(faults).toEqual([]);
});

test('the examples of schemas conform to them', () => {
  const faults = named.flatMap(([name, { examples = [] }]) => {
    const isValid = ajv.compile({ $ref: `api#/components/schemas/${name}` });
    return examples.flatMap((example) => (isValid(example) ? [] : [`${name} ${ajv.errorsText(isValid.errors)}`]));
  });

  expect(faults).toEqual([]);
});

test('every documentation text belongs to an existing operation or property', () => {
  const [byId, known] = [new Map(operations.map((each) => [each.operationId, each])), new Map(named)];
  const faults = Object.entries(documentation.operations).flatMap(
    ([id, { parameters = {}, body = {}, response = {} }]) => {
      const operation = byId.get(id);
      if (operation === undefined) return [id];
      const getPropertyNames = (media: Media | undefined) =>
        new Set(media === undefined ? [] : getProperties(media.schema).map(([at]) => at));
      const [sent, returned] = [
        getPropertyNames(getJson(operation.requestBody)),
        getPropertyNames(getSuccessMedia(operation)),
      ];
      return [
        ...Object.keys(parameters).filter((name) => !operation.parameters?.some((each) => each.name === name)),
        ...Object.keys(body).filter((at) => !sent.has(at)),
        ...Object.keys(response).filter((at) => !returned.has(at)),
      ].map((fault) => `${id} ${fault}`);
    },
  );
  const ofSchemas = Object.entries(documentation.schemas).flatMap(([name, { properties = {}, variants = {} }]) => {
    const schema = known.get(name);
    if (schema === undefined) return [name];
    const there = new Set(getProperties(schema).map(([at]) => at));
    const constants = new Set(getProperties(schema).map(([, property]) => property.const));
    return [
      ...Object.keys(properties).filter((at) => !there.has(at)),
      ...Object.keys(variants).filter((constant) => !constants.has(constant)),
    ].map((fault) => `${name} ${fault}`);
  });

  expect([...faults, ...ofSchemas]).toEqual([]);
});

test('only the gateway loads the documentation, on demand, and the documentation loads no other modules', () => {
  const name = '@octavo/schema/documentation';
  const shipped = getSources('packages', 'workers', 'integrations').filter(({ path }) => !path.endsWith('.test.ts'));
  const naming = shipped.filter(({ text }) => text.includes(name));
  const importers = naming.filter(({ imports }) => imports.some(({ from, typeOnly }) => from === name && !typeOnly));
  const loaders = shipped.filter(({ text }) => text.includes(`import('${name}')`));
  const folder = 'packages/schema/src/documentation/';
  const loaded = shipped
    .filter(({ path }) => path.startsWith(folder))
    .flatMap(({ imports, path }) => imports.filter(({ typeOnly }) => !typeOnly).map(({ from }) => ({ path, from })))
    .filter(({ path, from }) => !from.startsWith('.') || !posix.join(posix.dirname(path), from).startsWith(folder));

  expect(importers.map(({ path }) => path)).toEqual([]);
  expect(loaders.map(({ path }) => path)).toEqual(['workers/gateway/src/pages.ts']);
  expect(loaded).toEqual([]);
});
