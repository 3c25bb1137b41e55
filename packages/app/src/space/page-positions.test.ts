import type { Page } from '@octavo/schema';
import { describe, expect, test } from 'vitest';
import { countBelow, findPosition, listParents } from './page-positions.ts';
import { indexPages } from './tree-rows.ts';

const makePage = (id: string, pages: Page[] = []): Page =>
  ({ id, title: id.toUpperCase(), type: 'document', pages }) as unknown as Page;

const link = { id: 'link', title: 'LINK', type: 'link' } as unknown as Page;
const tree = [makePage('a', [makePage('b', [makePage('c')]), link]), makePage('d')];

describe('positions of pages', () => {
  test('counts the pages on all levels below a page', () => {
    expect(tree.map(countBelow)).toEqual([3, 0]);
  });

  test('lists the parents of a page without links, the page itself and the pages below it', () => {
    expect(listParents(tree, 'b').map(({ id }) => id)).toEqual(['a', 'd']);
    expect(listParents(tree, 'd')).toEqual([
      { id: 'a', title: 'A', level: 0 },
      { id: 'b', title: 'B', level: 1 },
      { id: 'c', title: 'C', level: 2 },
    ]);
  });

  test('finds the parent and the index of a page', () => {
    const pages = indexPages(tree);
    expect(findPosition(pages, 'link')).toEqual({ into: 'a', at: 1 });
    expect(findPosition(pages, 'd')).toEqual({ into: null, at: 1 });
  });
});
