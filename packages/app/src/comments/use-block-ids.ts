import { useRef } from 'preact/hooks';
import { type IdentifiedBlock, identifyBlocks } from './block-ids.ts';
import { moveBlockDrafts } from './typed-drafts.ts';

/** A shown block: what identifies it, and the key that comments on it have as their target. */
interface CommentableNode {
  key: string;
  node: string | undefined;
}

/**
 * Returns an id for each block of a page, which stays the same while others edit the page. The texts that are typed for
 * a block follow it.
 */
export function useBlockIds(path: string, page: string, shown: CommentableNode[]): string[] {
  const blocks = useRef<IdentifiedBlock[]>([]);
  const nodes = useRef(new Map<string, string | undefined>());
  const keys = shown.map(({ key }) => key);
  blocks.current = identifyBlocks(blocks.current, keys);
  const ids = blocks.current.map(({ id }) => id);
  const formerNodes = nodes.current;
  nodes.current = new Map(ids.map((id, index) => [id, shown[index]?.node]));
  const moved = new Map<string, string>();
  for (const [id, node] of nodes.current) {
    const former = formerNodes.get(id);
    if (former !== undefined && node !== undefined && former !== node) moved.set(former, node);
  }
  if (moved.size > 0) moveBlockDrafts(path, page, moved);
  return ids;
}
