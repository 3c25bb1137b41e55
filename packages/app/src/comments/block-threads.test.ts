import type { Comment } from '@octavo/schema';
import { expect, test } from 'vitest';
import { assignThreads } from './block-threads.ts';

const createComment = (id: string, page: string | undefined, node?: string): Comment =>
  ({ id, target: { ...(page && { page: { id: page } }), ...(node && { node: { id: node } }) } }) as Comment;

test('assigns comments to the top-level block that contains their block', () => {
  const nodes = [{ key: 'a' }, { key: 'b', nodes: [{ key: 'c' }, { nodes: [{ key: 'd' }] }] }];
  const comments = [
    createComment('on a', 'pg_1', 'a'),
    createComment('on c', 'pg_1', 'c'),
    createComment('on d', 'pg_1', 'd'),
    createComment('on the page', 'pg_1'),
    createComment('on a deleted block', 'pg_1', 'x'),
    createComment('on another page', 'pg_2', 'a'),
    createComment('on the space', undefined),
  ];
  const { byBlock, others } = assignThreads(comments, 'pg_1', nodes);

  expect([...byBlock].map(([key, found]) => [key, found.map(({ id }) => id)])).toEqual([
    ['a', ['on a']],
    ['b', ['on c', 'on d']],
  ]);
  expect(others.map(({ id }) => id)).toEqual(['on the page', 'on a deleted block']);
});
