import type { Node } from '@octavo/merge';

/** In merge tests, the hash of a document is its text. */
export const getText = (hash: string): string => hash;

/** Builds a page node with defaults for the fields that a test does not set. */
export const createPageNode = (over: Partial<Node> = {}): Node => ({
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
