import type { Block } from './document-tree.ts';
import { flags } from './published-data.ts';
import { type PublishedNode, published, reference, withKey } from './published-nodes.ts';
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
