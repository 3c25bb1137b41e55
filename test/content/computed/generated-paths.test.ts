import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdsSlowly } from '../../support/random.ts';
import { insertPage } from '../space-client.ts';
import type { ReferencePage } from './reference-space.ts';
import { createOperation, insertComputed, listAllPages, makeReferenceSpace } from './reference-space.ts';

const alike = [
  'Webhooks',
  'models',
  'Books',
  'books',
  'Books 1',
  'books-1',
  'books-2',
  'a/b',
  'a b',
  '--',
  '😀',
  'é',
  'e',
];
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...alike, `${'long '.repeat(40)}a`, `${'long '.repeat(40)}b`) },
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
);

const drawn = fc.record({
  tags: fc.uniqueArray(fc.record({ name, above: fc.nat(5) }), { maxLength: 6, selector: (tag) => tag.name }),
  operations: fc.array(fc.record({ summary: name, tag: fc.nat(8), id: fc.option(name) }), { maxLength: 8 }),
  written: fc.array(name, { maxLength: 3 }),
  computed: fc.integer({ min: 1, max: 3 }),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;

const getSpec = ({ tags, operations }: Drawn) => ({
  openapi: '3.1.0',
  info: { title: 'Drawn', version: '1' },
  tags: tags.map((tag, index) => ({
    name: tag.name,
    ...(tag.above < index ? { parent: tags[tag.above]?.name } : {}),
  })),
  paths: Object.fromEntries(
    operations.map(({ summary, tag, id }, index) => {
      const named = tags[tag];
      const more = id === null ? {} : { operationId: `${id}${index}` };
      return [`/at/${index}`, { get: createOperation(named === undefined ? [] : [named.name], summary, more) }];
    }),
  ),
  webhooks: { done: { post: createOperation([], 'Done') } },
  components: { schemas: { Book: { type: 'object' } } },
});

const expectUniquePaths = (pages: ReferencePage[]) => {
  const all = listAllPages(pages);
  for (const places of [all.map(({ id }) => id), all.map(({ path }) => path)])
    expect(places.toSorted()).toEqual([...new Set(places)].sort());
  return all;
};

test('pages of any specification have unique IDs, and paths by which they can be read', async () => {
  await holdsSlowly(
    fc.asyncProperty(drawn, async (each) => {
      const { publish, space, tree, read, at } = await makeReferenceSpace();
      await publish('drawn', getSpec(each));
      const [parent = ''] = await space.change([insertPage('Above')]);
      await space.change([
        ...each.written.map((title) => ({ ...insertPage(title), into: parent })),
        ...Array.from({ length: each.computed }, (_, index) =>
          insertComputed('drawn', index < 2 ? { into: parent } : {}),
        ),
      ]);

      const all = expectUniquePaths(await tree());
      expect(all.filter(({ title }) => title === 'Models').length).toBeGreaterThanOrEqual(each.computed);
      for (const { id, path = '', title } of all) {
        const page = { id, path, title };
        expect(await read(id)).toMatchObject(page);
        expect(await at(path.split('/').map(encodeURIComponent).join('/'))).toMatchObject(page);
      }
    }),
    { numRuns: 20, fewest: 5, milliseconds: 60_000 },
  );
});
