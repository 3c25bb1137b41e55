import { type Block, treeOf } from './document-tree.ts';
import { parseTree } from './parse-tree.ts';
import { plainBlocks } from './plain-blocks.ts';
import type { PublishedNode } from './published-nodes.ts';
import { publishedTree } from './published-tree.ts';

/** Text in which the tags of ours are words. */
export const escapeTags = (text: string): string =>
  text.replace(/(`+)[^`]+\1|\{(?=[{%])/g, (found, code?: string) => (code === undefined ? '\\{' : found));

/** Text of others as blocks: no tag in it is one of ours, which might include or ask for something. */
export const blocksOfOthers = (text: string): Block[] => (text === '' ? [] : parseTree(escapeTags(text)).nodes);

/** The same as it is drawn: nothing in it refers to anything but addresses. */
export const publishedOfOthers = (text: string): PublishedNode[] =>
  publishedTree(treeOf(plainBlocks(blocksOfOthers(text))), { includes: () => undefined }).nodes;
