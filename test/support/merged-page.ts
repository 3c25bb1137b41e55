import type { Node } from '@octavo/merge';

/** In tests of merging a document's hash is its text. */
export const textOf = (hash: string): string => hash;

/** A page to merge, but for what a test says of it. */
export const pageNode = (over: Partial<Node> = {}): Node => ({
  kind: 'page',
  id: 'p',
  parent: '',
  position: 'a0',
  slug: 'page',
  fields: { title: 'Page' },
  document: 'one\ntwo\nthree\n',
  createdAt: 1,
  updatedAt: 1,
  ...over,
});
