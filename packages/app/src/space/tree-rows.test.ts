import type { Page } from '@octavo/schema';
import { expect, test } from 'vitest';
import { handleTreeKey, listRows } from './tree-rows.ts';

const createPage = (id: string, pages: unknown[] = []): Page => ({ id, title: id, type: 'document', pages }) as Page;
const pages = [createPage('a', [createPage('a1'), createPage('a2', [createPage('a21')])]), createPage('b')];
const getIds = (expanded: string[]) => listRows(pages, new Set(expanded)).map(({ page: { id } }) => id);

test('lists only pages whose ancestors are expanded', () => {
  expect(getIds([])).toEqual(['a', 'b']);
  expect(getIds(['a'])).toEqual(['a', 'a1', 'a2', 'b']);
  expect(getIds(['a', 'a2'])).toEqual(['a', 'a1', 'a2', 'a21', 'b']);
  expect(getIds(['a2'])).toEqual(['a', 'b']);
});

test('reports levels and positions', () => {
  expect(listRows(pages, new Set(['a'])).map(({ level, position, siblings }) => [level, position, siblings])).toEqual([
    [1, 1, 2],
    [2, 1, 2],
    [2, 2, 2],
    [1, 2, 2],
  ]);
});

test('moves, expands and collapses by keys', () => {
  const rows = listRows(pages, new Set(['a']));
  const keys: [index: number, key: string, expected: unknown][] = [
    [0, 'ArrowDown', { focus: 1 }],
    [0, 'ArrowUp', { focus: 0 }],
    [3, 'ArrowDown', { focus: 3 }],
    [3, 'Home', { focus: 0 }],
    [0, 'End', { focus: 3 }],
    [0, 'ArrowRight', { focus: 1 }],
    [0, 'ArrowLeft', { toggle: 'a' }],
    [2, 'ArrowRight', { toggle: 'a2' }],
    [2, 'ArrowLeft', { focus: 0 }],
    [1, 'ArrowRight', undefined],
    [0, 'b', { focus: 3 }],
    [0, 'Tab', undefined],
  ];

  for (const [index, key, expected] of keys) expect([key, handleTreeKey(rows, index, key)]).toEqual([key, expected]);
});
