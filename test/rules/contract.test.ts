import type { Endpoint } from '@octavo/schema';
import { contracts } from '@octavo/schema';
import { describe, expect, test } from 'vitest';
import { specified } from '../support/specified.ts';

/** The parts of a zod schema that describe the fields of an object. */
interface Schema {
  _zod: { optin?: 'optional' | undefined; def: { type: string; shape?: Record<string, Schema>; innerType?: Schema } };
}

const endpoints = Object.entries(contracts).flatMap(([domain, contract]) =>
  Object.entries(contract as Record<string, Endpoint>).map(([id, endpoint]) => ({ id, domain, endpoint })),
);

function getShape(schema: Schema | undefined): Record<string, Schema> {
  if (schema === undefined) return {};
  const { shape, innerType } = schema._zod.def;
  return shape ?? getShape(innerType);
}

/** Returns the sorted field names of an object. Required fields end with `!`. */
const getFields = (schema: Schema | undefined): string[] =>
  Object.entries(getShape(schema))
    .map(([name, field]) => (field._zod.optin === undefined ? `${name}!` : name))
    .sort();

/** Fields that we accept in addition to the specification. All are optional. */
const beyond: Record<string, { query?: string[]; body?: string[] }> = {
  getCurrentRevision: { query: ['depth'] },
  getRevisionOfChangeRequestById: { query: ['depth'] },
  listPages: { query: ['depth'] },
  listPagesInChangeRequest: { query: ['depth'] },
  getPageById: { query: ['depth', 'dereferenced', 'format.markdown.refs'] },
  getPageInChangeRequestById: { query: ['depth', 'dereferenced', 'format.markdown.refs'] },
  listChangeRequestsForSpace: { query: ['creator', 'orderBy', 'requestedReviewer'] },
  createChangeRequest: { body: ['description', 'revision'] },
  updateChangeRequestById: { body: ['description'] },
  requestReviewersForChangeRequest: { body: ['description', 'teams'] },
  updateSpaceById: { body: ['gitSync', 'mergeRules'] },
  listSites: { query: ['type'] },
  updateSiteById: { body: ['hostname'] },
  updateSiteSectionById: { body: ['siteSectionGroupId'] },
  updateOrganizationById: { body: ['mergeRules'] },
  publishIntegration: { body: ['events', 'webhook'] },
  postCommentInChangeRequest: { body: ['suggestion'] },
};

const findParameterNames = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');

describe.each(specified)('$id', (operation) => {
  const matchingEndpoints = endpoints.filter(({ id }) => id === operation.id);
  const endpoint = matchingEndpoints[0]?.endpoint;

  test('is declared once, in the contract of its domain', () => {
    expect(matchingEndpoints.map(({ domain }) => domain)).toEqual([operation.domain]);
  });

  test('has the method, path and success code of the specification', () => {
    expect(endpoint).toMatchObject({
      method: operation.method,
      path: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      success: operation.success,
    });
    expect(endpoint?.deprecated ?? false).toBe(operation.deprecated ?? false);
  });

  test('has the query parameters of the specification', () => {
    expect(getFields(endpoint?.query)).toEqual([...operation.query, ...(beyond[operation.id]?.query ?? [])].sort());
  });

  test('has the body of the specification', () => {
    const expected = [...operation.body, ...(beyond[operation.id]?.body ?? [])];

    expect(getFields(endpoint?.body as Schema | undefined)).toEqual(expected.sort());
  });

  test('accepts a missing body if all its fields are optional', () => {
    const optional = operation.body.length > 0 && !operation.body.some((name) => name.endsWith('!'));
    if (optional)
      expect(endpoint?.body?.safeParse(undefined)).toMatchObject({ success: true, data: expect.anything() });
    else expect(endpoint?.body?.safeParse(undefined).success ?? false).toBe(false);
  });

  test('returns a body if the specification defines one', () => {
    expect(endpoint?.response !== undefined).toBe(operation.response !== 'none');
  });
});

test('the specification has 127 operations', () => {
  expect(new Set(specified.map(({ id }) => id)).size).toBe(127);
});

test('no two endpoints share an id, or a method and path', () => {
  const ids = endpoints.map(({ id }) => id);
  const places = endpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.path.replace(/:\w+/g, ':')}`);

  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
});

const isPaged = ({ query }: Endpoint) => 'limit' in getShape(query) && 'page' in getShape(query);
const paged = endpoints.filter(({ endpoint }) => isPaged(endpoint));

test.each(paged)('$id returns a page with its items, their count and the next page', ({ endpoint }) => {
  const fields = getFields(endpoint.response as Schema | undefined);

  expect(fields).toEqual(expect.arrayContaining(['count!', 'items!', 'next']));
});

test('lists without pages return no count', () => {
  const whole = endpoints.filter(
    ({ endpoint }) => 'items' in getShape(endpoint.response as Schema | undefined) && !isPaged(endpoint),
  );

  expect(whole.map(({ id, endpoint }) => [id, getFields(endpoint.response as Schema)])).toEqual([
    ['listFavorites', ['items!']],
    ['listRecents', ['items!']],
    ['listSSOProviderLoginsInOrganization', ['items!']],
    ['suggestOrganizationContent', ['correctedQuery', 'items!']],
    ['listSiteAdaptiveTemplateConditions', ['items!']],
    ['suggestSiteContent', ['correctedQuery', 'items!']],
  ]);
});

test.each(endpoints)('$id declares each parameter of its path', ({ endpoint }) => {
  expect(Object.keys(getShape(endpoint.params)).sort()).toEqual(findParameterNames(endpoint.path).sort());
});

test.each(endpoints)('$id returns a body unless its status excludes one', ({ endpoint }) => {
  expect(endpoint.response !== undefined).toBe(endpoint.success === 200 || endpoint.success === 201);
});
