import type { Page } from '@octavo/schema';
import { describe, expect, test } from 'vitest';
import { type DropPart, findDropTarget, findStepTarget, listParents, type MoveStep, movePage } from './page-moves.ts';
import { getChildren, indexPages, listRows } from './tree-rows.ts';

const makePage = (id: string, pages: Page[] = [], type = 'document'): Page =>
  ({ id, title: id, type, pages }) as unknown as Page;

const link = { id: 'link', title: 'link', type: 'link' } as unknown as Page;
const tree = indexPages([
  makePage('a', [makePage('b', [makePage('c')]), link, makePage('d')]),
  makePage('e'),
  makePage('group', [makePage('f')], 'group'),
]);

const find = (id: string): Page => tree.byId.get(id) ?? link;
const toIds = (pages: Page[]): unknown[] =>
  pages.map((page) => (getChildren(page).length === 0 ? page.id : [page.id, toIds(getChildren(page))]));

const start = [['a', [['b', ['c']], 'link', 'd']], 'e', ['group', ['f']]];

describe('the parents of a page', () => {
  test('are named with their levels, without links', () => {
    expect(listParents(tree, find('e'))).toEqual([
      { id: 'a', title: 'a', level: 0 },
      { id: 'b', title: 'b', level: 1 },
      { id: 'c', title: 'c', level: 2 },
      { id: 'd', title: 'd', level: 1 },
      { id: 'group', title: 'group', level: 0 },
      { id: 'f', title: 'f', level: 1 },
    ]);
  });

  test('are neither the page itself nor the pages below it', () => {
    expect(listParents(tree, find('b')).map(({ id }) => id)).toEqual(['a', 'd', 'e', 'group', 'f']);
  });

  test('do not exist for a group, which is always at the top level', () => {
    expect(listParents(tree, find('group'))).toEqual([]);
  });
});

describe('moving a page by a step', () => {
  test.each<[string, MoveStep, unknown[] | undefined]>([
    ['d', 'up', [['a', [['b', ['c']], 'd', 'link']], 'e', ['group', ['f']]]],
    ['b', 'up', undefined],
    ['b', 'down', [['a', ['link', ['b', ['c']], 'd']], 'e', ['group', ['f']]]],
    ['d', 'down', undefined],
    [
      'e',
      'in',
      [
        ['a', [['b', ['c']], 'link', 'd', 'e']],
        ['group', ['f']],
      ],
    ],
    ['link', 'in', [['a', [['b', ['c', 'link']], 'd']], 'e', ['group', ['f']]]],
    ['d', 'in', undefined],
    ['group', 'in', undefined],
    ['a', 'in', undefined],
    ['c', 'out', [['a', ['b', 'c', 'link', 'd']], 'e', ['group', ['f']]]],
    ['b', 'out', [['a', ['link', 'd']], ['b', ['c']], 'e', ['group', ['f']]]],
    ['e', 'out', undefined],
  ])('%s %s', (id, step, expected) => {
    const target = findStepTarget(tree, find(id), step);
    expect(target && toIds(movePage(tree, find(id), target).roots)).toEqual(expected);
  });
});

describe('dropping a page', () => {
  const rows = listRows(tree.roots, new Set(['a']));

  test.each<[string, DropPart, string, unknown[] | undefined]>([
    [
      'e',
      'before',
      'b',
      [
        ['a', ['e', ['b', ['c']], 'link', 'd']],
        ['group', ['f']],
      ],
    ],
    [
      'e',
      'after',
      'a',
      [
        ['a', ['e', ['b', ['c']], 'link', 'd']],
        ['group', ['f']],
      ],
    ],
    [
      'e',
      'inside',
      'b',
      [
        ['a', [['b', ['c', 'e']], 'link', 'd']],
        ['group', ['f']],
      ],
    ],
    ['d', 'before', 'a', ['d', ['a', [['b', ['c']], 'link']], 'e', ['group', ['f']]]],
    ['c', 'after', 'b', [['a', ['b', 'c', 'link', 'd']], 'e', ['group', ['f']]]],
    ['e', 'inside', 'link', undefined],
    ['a', 'inside', 'b', undefined],
    ['a', 'before', 'd', undefined],
    ['group', 'inside', 'e', undefined],
    ['group', 'before', 'a', [['group', ['f']], ['a', [['b', ['c']], 'link', 'd']], 'e']],
    ['link', 'after', 'b', undefined],
    ['link', 'before', 'd', undefined],
    ['link', 'after', 'link', undefined],
    ['b', 'before', 'b', undefined],
    ['d', 'inside', 'a', undefined],
  ])('%s %s %s', (id, part, over, expected) => {
    const row = rows.find(({ page }) => page.id === over);
    const target = row && findDropTarget(tree, find(id), row, part);
    expect(target && toIds(movePage(tree, find(id), target).roots)).toEqual(expected);
  });

  test('does not change the former tree', () => {
    expect(toIds(tree.roots)).toEqual(start);
  });
});
