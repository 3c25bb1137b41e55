import type { Comment } from '@octavo/schema';

/** The fields of a document block that comments use. */
export interface KeyedNode {
  key?: string;
  nodes?: KeyedNode[];
}

/** The comments on one page. */
export interface PageThreads {
  /** Comments by the key of the top-level block that contains their block. */
  byBlock: Map<string, Comment[]>;
  /** Comments on the page itself, and on blocks that it no longer contains. */
  others: Comment[];
}

function* listKeys({ key, nodes = [] }: KeyedNode): Generator<string> {
  if (key !== undefined) yield key;
  for (const node of nodes) yield* listKeys(node);
}

/** Assigns the comments on a page to its top-level blocks. */
export function assignThreads(comments: Comment[], page: string, nodes: KeyedNode[]): PageThreads {
  const blocks = new Map<string, string>();
  for (const node of nodes) if (node.key !== undefined) for (const key of listKeys(node)) blocks.set(key, node.key);
  const byBlock = new Map<string, Comment[]>();
  const others: Comment[] = [];
  for (const comment of comments) {
    if (comment.target.page?.id !== page) continue;
    const block = blocks.get(comment.target.node?.id ?? '');
    if (block === undefined) others.push(comment);
    else byBlock.set(block, [...(byBlock.get(block) ?? []), comment]);
  }
  return { byBlock, others };
}
