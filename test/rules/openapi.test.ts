import type { Endpoint } from '@octavo/schema';
import { contracts } from '@octavo/schema';
import { documentation } from '@octavo/schema/documentation';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import {
  getErrorTypes,
  getRequestHeaders,
  openApiDocument,
  toDocumentPath,
} from '../../workers/gateway/src/openapi.ts';
import { createReferencePage, referenceContentSecurityPolicy } from '../../workers/gateway/src/reference.ts';

interface Document {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; responses: Record<string, { headers?: object }> };
}

interface Operation {
  operationId: string;
  description?: string;
  tags: string[];
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: Record<string, unknown> }[];
  requestBody?: { required?: boolean };
  responses: Record<string, { $ref?: string; content?: unknown }>;
}

const about = { url: 'https://api.example.test', version: '0.1.0', documentation };
const document: Document = JSON.parse(JSON.stringify(openApiDocument(contracts, about)));

const endpoints = Object.values(contracts).flatMap((contract) =>
  Object.entries(contract as Record<string, Endpoint>).map(([id, endpoint]) => ({ id, endpoint })),
);

const getOperation = ({ path, method }: Endpoint) => document.paths[toDocumentPath(path)]?.[method.toLowerCase()];

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>);

  expect(result).toMatchObject({ valid: true });
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(document.servers).toEqual([{ url: about.url }]);
});

test('the document contains exactly the operations of the contracts', () => {
  const ids = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );

  expect(ids.sort()).toEqual(endpoints.map(({ id }) => id).sort());
});

test.each(endpoints)('the document describes $id as its contract does', ({ id, endpoint }) => {
  const operation = getOperation(endpoint);
  const parameters = operation?.parameters ?? [];
  const listParameterNames = (place: string) =>
    parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);

  expect(operation?.operationId).toBe(id);
  expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation?.tags ?? ['none']));
  expect(listParameterNames('path')).toEqual(Object.keys(endpoint.params?.shape ?? {}));
  expect(listParameterNames('query')).toEqual(Object.keys(endpoint.query?.shape ?? {}));
  expect(listParameterNames('header')).toEqual(Object.keys(getRequestHeaders(endpoint)?.shape ?? {}));
  expect(operation?.requestBody !== undefined).toBe(endpoint.body !== undefined);
  expect(operation?.responses[endpoint.success]?.content !== undefined).toBe(endpoint.response !== undefined);
  for (const type of getErrorTypes(endpoint)) {
    expect(Object.values(operation?.responses ?? {})).toContainEqual({ $ref: `#/components/responses/${type}` });
  }
});

test('every operation documents its rate limit headers', () => {
  for (const { endpoint } of endpoints)
    expect(getOperation(endpoint)?.responses[429]).toEqual({ $ref: '#/components/responses/rate_limited' });
  expect(Object.keys(document.components.responses.rate_limited?.headers ?? {})).toEqual([
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ]);
});

test('a query parameter has the type of its value instead of string', () => {
  const findParameterSchema = (id: string, name: string) =>
    Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .find(({ operationId }) => operationId === id)
      ?.parameters?.find((parameter) => parameter.name === name)?.schema;

  expect(findParameterSchema('listSites', 'limit')).toEqual({
    type: 'integer',
    minimum: 0,
    maximum: 1000,
    default: 50,
  });
  expect(findParameterSchema('listSites', 'published')).toEqual({ type: 'boolean' });
  expect(findParameterSchema('getChangeRequestPDF', 'only')).toEqual({ type: 'boolean', default: false });
  expect(findParameterSchema('listCommentsInSpace', 'authors')).toEqual({
    type: 'array',
    items: { type: 'string' },
    maxItems: 100,
  });
});

test('every schema has a unique and readable name, not a generated one', () => {
  expect(Object.keys(document.components.schemas).filter((name) => /^(__|schema\d)/.test(name))).toEqual([]);
  expect(document.components.schemas).toHaveProperty('Site');
  expect(Object.keys(document.components.schemas).filter((name) => name.endsWith('Output'))).toEqual([]);
});

test('builds the document only once', () => {
  expect(openApiDocument(contracts, about)).toBe(openApiDocument(contracts, about));
});

test('the reference page loads nothing from other hosts', () => {
  const page = createReferencePage();

  expect(page).toContain('src="/reference/scalar.js"');
  expect(page).toContain('&quot;/openapi.json&quot;');
  expect(page).not.toMatch(/(?:https?:)?\/\/[a-z]/i);
  expect(page).not.toMatch(/<script>(?!<)/);
  expect(referenceContentSecurityPolicy).not.toMatch(/https?:|\*|unsafe-eval/);
});
