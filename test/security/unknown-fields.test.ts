import type { Endpoint, ValueSchema } from '@octavo/schema';
import { isApiError, noBody } from '@octavo/schema';
import { expect, test } from 'vitest';
import { officialFields } from '../../packages/runtime/src/official-fields.ts';
import { parseInput } from '../../packages/runtime/src/request.ts';
import { json } from '../support/content.ts';
import { getEndpoint, operations } from '../support/endpoints.ts';
import { platform } from '../support/platform.ts';
import { getFields } from '../support/schemas.ts';

/** Returns the issues of a query or a body with an unknown field, by path. */
function findIssues(value: object, endpoint: Endpoint, root: 'query' | 'body', name = 'none'): Record<string, string> {
  try {
    parseInput(value, (endpoint[root] ?? noBody) as ValueSchema<unknown>, { name, root });
    return {};
  } catch (error) {
    if (!isApiError(error)) throw error;
    return Object.fromEntries((error.issues ?? []).map(({ path, message }) => [path, message]));
  }
}

const roots = ['query', 'body'] as const;
const inputs = operations.flatMap(({ id, endpoint }) =>
  roots.filter((root) => root === 'query' || endpoint.method !== 'GET').map((root) => ({ id, endpoint, root })),
);

test.each(inputs)(
  '$id rejects unknown fields in the $root, and suggests the most similar field',
  ({ endpoint, root }) => {
    const word = root === 'query' ? 'parameter' : 'field';
    const known = Object.keys(getFields((endpoint[root] ?? noBody) as ValueSchema<unknown>));

    expect(findIssues({ qqq: 1 }, endpoint, root)).toHaveProperty([`${root}.qqq`], `is not a known ${word}`);
    for (const name of known.filter((each) => each.length > 3)) {
      const path = `${root}.${name}s`;
      expect(findIssues({ [`${name}s`]: 1 }, endpoint, root)[path]).toMatch(
        known.includes(`${name}s`) ? /./ : `is not a known ${word}. Did you mean \`${name}\`?`,
      );
    }
  },
);

test('names at most 20 unknown fields', () => {
  const body = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`field${index}`, 1]));

  expect(Object.keys(findIssues(body, getEndpoint('updateSpaceById'), 'body'))).toHaveLength(20);
});

test('rejects a body with more objects than the search for unknown fields checks', () => {
  const changes = Array(60_000).fill({});

  expect(findIssues({ changes }, getEndpoint('updateSpaceContent'), 'body')).toEqual({
    body: 'must have at most 20000 objects and lists',
  });
});

test('ignores each unsupported field of the official client', () => {
  for (const { id, endpoint, root } of inputs) {
    for (const pattern of officialFields[id] ?? []) {
      const [first, name = '', ...inner] = pattern.split('.');
      if (first !== root) continue;
      const value = inner.reduceRight<unknown>((each, key) => (key === '*' ? [each] : { [key]: each }), 1);
      const message = findIssues({ [name]: value }, endpoint, root, id)[pattern.replaceAll('*', '0')];
      expect([id, pattern, message]).not.toEqual([id, pattern, expect.stringContaining('is not a known')]);
    }
  }
});

const fixed = [
  [{ editmode: 'locked' }, '`body.editmode` is not a known field. Did you mean `editMode`?'],
  [{ titel: 'x' }, '`body.titel` is not a known field. Did you mean `title`?'],
  [{ title: 'x', constructor: { a: 1 } }, '`body.constructor` is not a known field.'],
  [{ mergeRules: { type: 'none', rulez: [] } }, '`body.mergeRules.rulez` is not a known field.'],
] as const;

test.each(fixed)('PATCH of a space rejects %j and changes nothing', async (body, message) => {
  const space = await platform().makeSpace();
  const before = await json(`/v1/spaces/${space.id}`, space);
  const response = await platform().request(`/v1/spaces/${space.id}`, { token: space.token, method: 'PATCH', body });

  expect([response.status, await response.json()]).toMatchObject([400, { error: { message } }]);
  expect(await json(`/v1/spaces/${space.id}`, space)).toEqual(before);
});

test('rejects an unknown query parameter for a list, a single object and the root', async () => {
  const { id, organization, token } = await platform().makeSpace();
  for (const [path, message] of [
    [`/v1/orgs/${organization}/spaces?limt=5`, '`query.limt` is not a known parameter. Did you mean `limit`?'],
    [`/v1/spaces/${id}?expand=all`, '`query.expand` is not a known parameter.'],
    ['/v1/?expand=all', '`query.expand` is not a known parameter.'],
  ]) {
    const response = await platform().request(path ?? '', { token });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { message } }]);
  }
});

test('ignores read-only fields and unknown fields of the official client, and lists them in a header', async () => {
  const space = await platform().makeSpace();
  const path = `/v1/spaces/${space.id}`;
  const read = await json<object>(path, space);
  const send = (body: object) => platform().request(path, { token: space.token, method: 'PATCH', body });
  const official = await send({ title: 'A', language: 'fr' });
  const response = await send({ ...read, title: 'B' });

  expect([official.status, official.headers.get('octavo-ignored-fields')]).toEqual([200, 'body.language']);
  expect(official.headers.get('access-control-expose-headers')).toContain('octavo-ignored-fields');
  expect([response.status, await response.json()]).toMatchObject([200, { title: 'B' }]);
  expect(response.headers.get('octavo-ignored-fields')).toContain('body.id, ');
  expect((await send({ title: 'C' })).headers.get('octavo-ignored-fields')).toBeNull();
});

test('the customization of a site can be written back after reading and changing it', async () => {
  const { id, token } = await platform().makeOrganization();
  const site = await json<{ id: string }>(`/v1/orgs/${id}/sites`, { token, body: { title: 'Docs' } });
  const path = `/v1/orgs/${id}/sites/${site.id}/customization`;
  await json(path, { token, method: 'PUT', body: { title: 'First' } });
  const read = await json<object>(path, { token });
  const response = await platform().request(path, { token, method: 'PUT', body: { ...read, title: 'Second' } });

  expect([response.status, await response.json()]).toEqual([
    200,
    { ...read, title: 'Second', updatedAt: expect.any(String) },
  ]);
  expect(response.headers.get('octavo-ignored-fields')).toBe('body.updatedAt');
});
