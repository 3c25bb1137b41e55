import type { Node } from '@octavo/merge';
import type { ReusableContent } from '@octavo/schema';
import { presentGit } from './present-git.ts';

/** A reusable content as trees list it: without its text. To a visitor nothing is told of what it is made from. */
export const presentReusableContent = (node: Node, { isVisited = false } = {}): ReusableContent => ({
  object: 'reusable-content',
  id: node.id,
  title: String(node.fields.title),
  ...(node.document === null || isVisited ? {} : { document: node.document }),
  ...(isVisited ? {} : presentGit(node)),
});
