import { parseTree, publishTree, readJsonTree, renderTree } from '@octavo/markdown';
import { expect } from 'vitest';
import { getFaults } from './official-documents.ts';

/** Returns the published nodes of a text. Expects its document to be valid and to round-trip byte for byte. */
export function publishText(markdown: string) {
  const tree = parseTree(markdown, { sources: 'all' });
  expect(renderTree(tree)).toBe(markdown);
  const keptDocument = publishTree(tree, { includes: () => undefined, isKept: true });
  expect(getFaults(JSON.parse(JSON.stringify(keptDocument)))).toEqual([]);
  expect(renderTree(readJsonTree(JSON.parse(JSON.stringify(keptDocument))))).toBe(markdown);
  return publishTree(parseTree(markdown), { includes: () => undefined }).nodes;
}
