import type { Node } from '@octavo/document';
import { hasConflictMarkers } from '@octavo/document';
import type { PreparedDocument } from './documents.ts';

/** A node's new document. What an update left with conflict markers stays marked until a text without them is written. */
export const documentState = (
  node: Node,
  stored: PreparedDocument['stored'],
): Pick<Node, 'document' | 'oid' | 'conflicted'> => ({
  document: stored?.hash ?? null,
  oid: stored?.oid,
  conflicted: node.conflicted === true && stored !== null && hasConflictMarkers(stored.markdown) ? true : undefined,
});
