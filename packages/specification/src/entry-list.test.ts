import { expect, test } from 'vitest';
import { getEntries } from './entry-list.ts';

const entries = (document: object) => getEntries({ openapi: '3.1.0', info: {}, paths: {}, ...document });

/** Returns each entry as its parent's title, its kind and its slug. */
const outline = (document: object): string[] => {
  const all = entries(document);
  return all.map(({ kind, slug, parent }) => `${parent === null ? '' : `${all[parent]?.title} > `}${kind} ${slug}`);
};

const get = (tags?: string[], operationId?: string) => ({
  get: { ...(tags && { tags }), ...(operationId && { operationId }) },
});

test('lists tags in order, each with its operations, then untagged ones, webhooks and models', () => {
  const found = outline({
    tags: [{ name: 'Pets' }, { name: 'Empty' }, { name: 'Told', description: 'Of something' }],
    paths: {
      '/users': get(['Users'], 'listUsers'),
      '/loose': get(),
      '/pets': get(['Pets', 'Users'], 'listPets'),
    },
    webhooks: { petAdded: { post: { summary: 'A pet was added' } } },
    components: { schemas: { Pet: { title: 'A pet' }, Cat: {} } },
  });

  expect(found).toEqual([
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
  const [found] = entries({ paths: { '/pets': { get: operation } } });

  expect(found).toEqual({
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
  const [tag] = entries({
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
  const found = outline({
    tags: [{ name: 'Secret', 'x-internal': true, description: 'x' }],
    paths: {
      '/a': { 'x-internal': true, ...get() },
      '/b': { get: { 'x-gitbook-ignore': true }, put: {} },
      '/c': get(['Secret']),
      'x-note': { get: {} },
    },
    components: { schemas: { Hidden: { 'x-internal': true } } },
  });

  expect(found).toEqual(['operation put-b']);
});

test('nests tags without cycles', () => {
  const tag = (name: string, parent?: string) => ({ name, description: 'x', ...(parent && { parent }) });

  expect(outline({ tags: [tag('b', 'a'), tag('a'), tag('c', 'nowhere')] })).toEqual(['tag a', 'a > tag b', 'tag c']);
  expect(outline({ tags: [tag('x', 'y'), tag('y', 'x'), tag('z', 'z')] })).toEqual(['tag x', 'x > tag y', 'tag z']);
  const deep = Array.from({ length: 2000 }, (_, index) => tag(`t${index}`, index === 0 ? undefined : `t${index - 1}`));
  expect(entries({ tags: deep })).toHaveLength(2000);
});

test('slugs are unique among the entries with the same parent', () => {
  const found = outline({
    paths: {
      '/a': get(['T'], 'list'),
      '/b': get(['T'], 'LIST'),
      '/c': get(['U'], 'list'),
      '/d': get(undefined, 't'),
    },
    webhooks: { list: { post: {}, put: {} } },
    components: { schemas: { list: {}, List: {} } },
  });

  expect(found).toEqual([
    ...['tag t', 'T > operation list', 'T > operation list-2', 'tag u', 'U > operation list', 'operation t-2'],
    ...['webhook list', 'webhook list-2', 'model list', 'model list-2'],
  ]);
});

test('resolves a path item through a chain of references', () => {
  const found = outline({
    paths: { '/a': { $ref: '#/paths/~1b%20c' }, '/b c': { $ref: '#/components/pathItems/Shared' } },
    components: { pathItems: { Shared: get(undefined, 'shared') } },
  });

  expect(found).toEqual(['operation shared', 'operation shared-2']);
});

test('truncates texts and removes characters that a database rejects', () => {
  const [found] = entries({
    paths: {
      '/a': {
        get: { operationId: 'o'.repeat(1000), summary: 's\0'.repeat(1000), description: `${'d'.repeat(499)}\u{1F436}` },
      },
    },
  });

  expect(found?.name).toHaveLength(500);
  expect(found?.title.length).toBeLessThanOrEqual(512);
  expect(found?.title).not.toContain('\0');
  expect(found?.description).toMatch(/^d{499}\ufffd?$/);
});

test('limits the list to 10,000 entries', () => {
  const schemas = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`S${index}`, {}]));

  expect(() => entries({ components: { schemas } })).toThrow('more than 10000 tags, operations, webhooks and models');
});
