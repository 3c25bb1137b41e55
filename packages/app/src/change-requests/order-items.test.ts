import type { Page } from '@octavo/schema';
import { expect, test } from 'vitest';
import type { ChangedItem } from './changed-items.ts';
import { describePosition, orderItems } from './order-items.ts';

const createPage = (id: string, pages: Page[] = []) => ({ id, type: 'document', title: id, pages }) as unknown as Page;
const createItem = (id: string): ChangedItem => ({ id, title: id, kinds: [], changes: [] });

test('sorts pages in the order of the tree, deleted ones where they were, and other items last', () => {
  const tree = { roots: [createPage('b', [createPage('c')]), createPage('a')] };
  const former = {
    roots: [
      createPage('first'),
      createPage('a'),
      createPage('b', [createPage('gone'), createPage('child'), createPage('c')]),
    ],
  };
  const items = ['variables', 'a', 'c', 'child', 'gone', 'first', 'b'].map(createItem);

  expect(orderItems(items, tree, former).map(({ id }) => id)).toEqual([
    ...['first', 'b', 'gone', 'child', 'c', 'a', 'variables'],
  ]);
});

test('describes the position of a page only if the tree has it', () => {
  const parent = createPage('b', [createPage('c')]);
  const tree = { roots: [createPage('a'), parent], parents: new Map([['c', parent]]) };

  expect(['a', 'b', 'c', 'unknown'].map((id) => describePosition(tree, id))).toEqual([
    ...['to the first position', 'after a', 'to the first position', undefined],
  ]);
  expect(describePosition(undefined, 'a')).toBeUndefined();
});
