import type { Node } from '@octavo/merge';
import type { ReusableContent } from '@octavo/schema';

/** A reusable content as trees list it: without its text. */
export const presentReusableContent = (node: Node): ReusableContent => ({
  object: 'reusable-content',
  id: node.id,
  title: String(node.fields.title),
  ...(node.document === null ? {} : { document: node.document }),
  ...(node.oid === undefined || typeof node.fields.gitPath !== 'string'
    ? {}
    : { git: { oid: node.oid, path: node.fields.gitPath } }),
});
