import type { Node } from '@octavo/document';
import { hasMarkers } from '@octavo/document';
import { decided } from './decided.ts';
import type { PreparedDocument } from './documents.ts';

/** A node's new document. What an update left with conflict markers stays undecided while one of those stands in it. */
export function documentState(
  node: Node,
  stored: PreparedDocument['stored'],
): Pick<Node, 'document' | 'oid' | 'undecided' | 'documentBase'> {
  const { undecided, documentBase } = node;
  const state = { document: stored?.hash ?? null, oid: stored?.oid };
  const open = undecided?.document?.text;
  const { markerLength } = open ?? {};
  const isMarked = markerLength !== undefined && stored !== null && hasMarkers(stored.markdown, markerLength);
  if (open === undefined || isMarked) return { ...state, undecided, documentBase };
  return { ...state, undecided: decided(node, ['document']).undecided, documentBase: open.main };
}
