import { expect, test } from 'vitest';
import type { Cost } from '../space-client.ts';
import { insertPage } from '../space-client.ts';
import type { ReferencePage } from './reference-space.ts';
import { createLibrary, createOperation, insertComputed, listAllPages, makeReferenceSpace } from './reference-space.ts';

const createPaths = (tags: number, perTag: number) =>
  Object.fromEntries(
    Array.from({ length: tags * perTag }, (_, index) => [
      `/${index}`,
      { get: createOperation([`Tag ${index % tags}`], `Operation ${index}`) },
    ]),
  );

async function measureCosts(tags: number, perTag: number): Promise<Record<string, Cost>> {
  const reference = await makeReferenceSpace();
  await reference.publish('api', createLibrary({ paths: createPaths(tags, perTag), tags: [] }));
  await reference.space.change([insertPage('Guide'), insertComputed('api')]);
  const pages = listAllPages(await reference.tree());
  const id = pages.find(({ title }) => title === 'Tag 1')?.id;
  const measureCost = async (path: string) => (await reference.space.call<ReferencePage>(path)).cost;
  return {
    tree: await measureCost('/content/pages'),
    unexpanded: await measureCost('/content/pages?computed=false'),
    guide: await measureCost('/content/path/guide'),
    byId: await measureCost(`/content/page/${id}`),
    byPath: await measureCost('/content/path/tag-1'),
  };
}

test('computed pages add no round trip to the tree, and a page reads only its own operations', async () => {
  const [few, many] = [await measureCosts(4, 2), await measureCosts(4, 100)];

  for (const read of ['tree', 'unexpanded', 'guide'] as const)
    expect([few[read]?.trips, many[read]?.trips]).toEqual([1, 1]);
  for (const read of ['byId', 'byPath'] as const) expect(few[read]?.trips).toBe(2);
  // An index seek may read one neighboring row. The large specification has 392 more operations.
  for (const read of ['tree', 'unexpanded', 'guide'] as const)
    expect(Math.abs((many[read]?.read ?? 0) - (few[read]?.read ?? 0))).toBeLessThan(20);
  expect((many.byId?.read ?? 0) - (few.byId?.read ?? 0)).toBeLessThan(4 * 100);
});

test("reads only the page's operations, even from a very large specification", async () => {
  const reference = await makeReferenceSpace();
  await reference.publish('api', createLibrary());
  await reference.space.change([insertPage('Guide'), insertComputed('api')]);
  const getCost = async (operations: number) => {
    const untagged = Array.from({ length: operations }, (_, index) => [
      `/${index}`,
      { get: createOperation([], `A ${index}`) },
    ]);
    await reference.publish('api', createLibrary({ paths: Object.fromEntries(untagged), tags: [] }));
    const generatedPages = listAllPages(await reference.tree()).filter(({ title }) => title.startsWith('A '));
    const [first, last] = [generatedPages[0], generatedPages.at(-1)];
    expect(last?.title).toBe('A 499');
    const paths = [`/content/page/${first?.id}`, `/content/page/${last?.id}`, `/content/path/${first?.slug}`];
    const responses = await Promise.all(paths.map((path) => reference.space.call<ReferencePage>(path)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    return responses.map(({ cost }) => cost.read);
  };
  const few = await getCost(600);
  const many = await getCost(2000);

  for (const [index, read] of many.entries()) expect(read - (few[index] ?? 0)).toBeLessThan(10);
});
