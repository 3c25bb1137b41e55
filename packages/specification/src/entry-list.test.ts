import { expect, test } from 'vitest';
import { getEntries } from './entry-list.ts';

const listEntries = (document: object) => getEntries({ openapi: '3.1.0', info: {}, paths: {}, ...document });

/** Returns each entry as its parent's title, its kind and its slug. */
const describeEntries = (document: object): string[] => {
  const all = listEntries(document);
  return all.map(({ kind, slug, parent }) => `${parent === null ? '' : `${all[parent]?.title} > `}${kind} ${slug}`);
};

const get = (tags?: string[], operationId?: string) => ({
  get: { ...(tags && { tags }), ...(operationId && { operationId }) },
});

test('lists tags in order, each with its operations, then untagged ones, webhooks and models', () => {
  const outlineLines = describeEntries({
    tags: [{ name: 'Pets' }, { name: 'Empty' }, { name: 'Told', description: 'Of something' }],
    paths: {
      '/users': get(['Users'], 'listUsers'),
      '/loose': get(),
      '/pets': get(['Pets', 'Users'], 'listPets'),
    },
    webhooks: { petAdded: { post: { summary: 'A pet was added' } } },
    components: { schemas: { Pet: { title: 'A pet' }, Cat: {} } },
  });

  expect(outlineLines).toEqual([
    'tag pets',
    'Pets > operation listpets',
    'tag told',
    'tag users',
    'Users > operation listusers',
    'operation get-loose',
    'webhook petadded',
    'model pet',
    'model cat',
  ]);
});

test('an entry names its source', () => {
  const operation = { operationId: 'listPets', summary: 'List pets', description: 'All of them.', deprecated: true };
  const [entry] = listEntries({ paths: { '/pets': { get: operation } } });

  expect(entry).toEqual({
    kind: 'operation',
    parent: null,
    slug: 'listpets',
    title: 'List pets',
    description: 'All of them.',
    icon: null,
    name: 'listPets',
    method: 'get',
    path: '/pets',
    isDeprecated: true,
  });
});

test('extensions override title, description, icon and slug', () => {
  const [tag] = listEntries({
    tags: [
      {
        name: 'pets',
        description: 'x',
        'x-page-title': 'All pets',
        'x-page-description': 'About them',
        'x-page-icon': 'dog',
        'x-page-slug': 'animals',
      },
    ],
  });

  expect(tag).toMatchObject({
    name: 'pets',
    title: 'All pets',
    description: 'About them',
    icon: 'dog',
    slug: 'animals',
  });
});

test('omits internal operations', () => {
  const outlineLines = describeEntries({
    tags: [{ name: 'Secret', 'x-internal': true, description: 'x' }],
    paths: {
      '/a': { 'x-internal': true, ...get() },
      '/b': { get: { 'x-gitbook-ignore': true }, put: {} },
      '/c': get(['Secret']),
      'x-note': { get: {} },
    },
    components: { schemas: { Hidden: { 'x-internal': true } } },
  });

  expect(outlineLines).toEqual(['operation put-b']);
});

test('nests tags without cycles', () => {
  const createTag = (name: string, parent?: string) => ({ name, description: 'x', ...(parent && { parent }) });

  expect(describeEntries({ tags: [createTag('b', 'a'), createTag('a'), createTag('c', 'nowhere')] })).toEqual([
    'tag a',
    'a > tag b',
    'tag c',
  ]);
  expect(describeEntries({ tags: [createTag('x', 'y'), createTag('y', 'x'), createTag('z', 'z')] })).toEqual([
    'tag x',
    'x > tag y',
    'tag z',
  ]);
  const deep = Array.from({ length: 2000 }, (_, index) =>
    createTag(`t${index}`, index === 0 ? undefined : `t${index - 1}`),
  );
  expect(listEntries({ tags: deep })).toHaveLength(2000);
});

test('slugs are unique among the entries with the same parent', () => {
  const outlineLines = describeEntries({
    paths: {
      '/a': get(['T'], 'list'),
      '/b': get(['T'], 'LIST'),
      '/c': get(['U'], 'list'),
      '/d': get(undefined, 't'),
    },
    webhooks: { list: { post: {}, put: {} } },
    components: { schemas: { list: {}, List: {} } },
  });

  expect(outlineLines).toEqual([
    ...['tag t', 'T > operation list', 'T > operation list-2', 'tag u', 'U > operation list', 'operation t-2'],
    ...['webhook list', 'webhook list-2', 'model list', 'model list-2'],
  ]);
});

test('resolves a path item through a chain of references', () => {
  const outlineLines = describeEntries({
    paths: { '/a': { $ref: '#/paths/~1b%20c' }, '/b c': { $ref: '#/components/pathItems/Shared' } },
    components: { pathItems: { Shared: get(undefined, 'shared') } },
  });

  expect(outlineLines).toEqual(['operation shared', 'operation shared-2']);
});

test('truncates texts and removes characters that a database rejects', () => {
  const [entry] = listEntries({
    paths: {
      '/a': {
        get: { operationId: 'o'.repeat(1000), summary: 's\0'.repeat(1000), description: `${'d'.repeat(499)}\u{1F436}` },
      },
    },
  });

  expect(entry?.name).toHaveLength(500);
  expect(entry?.title.length).toBeLessThanOrEqual(512);
  expect(entry?.title).not.toContain('\0');
  expect(entry?.description).toMatch(/^d{499}\ufffd?$/);
});

test('limits the list to 10,000 entries', () => {
  const schemas = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`S${index}`, {}]));

  expect(() => listEntries({ components: { schemas } })).toThrow(
    'more than 10000 tags, operations, webhooks and models',
  );
});
