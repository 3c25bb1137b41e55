import type { Page } from '@octavo/schema';
import { describe, expect, test } from 'vitest';
import { countBelow, findPosition } from './page-positions.ts';
import { indexPages } from './tree-rows.ts';

const makePage = (id: string, pages: Page[] = []): Page =>
  ({ id, title: id.toUpperCase(), type: 'document', pages }) as unknown as Page;

const link = { id: 'link', title: 'LINK', type: 'link' } as unknown as Page;
const tree = [makePage('a', [makePage('b', [makePage('c')]), link]), makePage('d')];

describe('positions of pages', () => {
  test('counts the pages on all levels below a page', () => {
    expect(tree.map(countBelow)).toEqual([3, 0]);
  });

  test('finds the parent and the index of a page', () => {
    const pages = indexPages(tree);
    expect(findPosition(pages, 'link')).toEqual({ into: 'a', at: 1 });
    expect(findPosition(pages, 'd')).toEqual({ into: null, at: 1 });
  });
});
