import type { Block } from './document-tree.ts';
import { flags, publishedData } from './published-data.ts';
import { type PublishedNode, paragraph, published, reference, text, withKey } from './published-nodes.ts';
import { addressOf, fileReference } from './published-references.ts';

export const publishedEmbed = (node: Block): PublishedNode => {
  const data = { url: addressOf(node.data.ref), ...flags(node.data, 'fullWidth') };
  return withKey(node, { ...published('block', 'embed'), isVoid: true, data });
};

/** What is no file of the space is a reference as any other. */
export function publishedFile(node: Block): PublishedNode {
  const ref = fileReference(node.data.ref);
  return reference(node, ref.kind === 'file' ? node.type : 'content-ref', ref);
}

export const publishedMath = (node: Block): PublishedNode =>
  withKey(node, { ...published('block', 'math'), isVoid: true, data: publishedData('math', node.data) });

/** A content that stays a reference; one that is not found is told where that is asked for. */
export function publishedInclude(
  node: Block,
  { address, content, isTold }: { address: string; content: string | undefined; isTold: boolean },
): PublishedNode[] {
  if (content !== undefined)
    return [reference(node, 'reusable-content', { kind: 'reusable-content', reusableContent: content })];
  const told = paragraph([text('Nothing is found to include here: '), text(address, 'code')]);
  const hint = { ...published('block', 'hint'), isVoid: false, data: { style: 'warning' }, nodes: [told] };
  return isTold ? [withKey(node, hint)] : [];
}
