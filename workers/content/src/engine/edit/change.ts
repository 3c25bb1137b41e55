import type { Node, Undecided } from '@octavo/merge';
import { hasMarkers } from '@octavo/merge';
import type { ContentChange } from '@octavo/schema';
import { ApiError, invalid } from '@octavo/schema';
import type { PreparedChange, PreparedDocument, Said } from './documents.ts';
import type { ContentTree } from './tree.ts';

/** What one change is applied with. */
export interface ChangeContext {
  tree: ContentTree;
  /** The change's index in its batch. */
  index: number;
  prepared: PreparedChange;
  urlOf: (page: string) => string;
  /**
   * What a text says of its page, by the text's hash: one that a page of the batch has or gets. Between markers of that
   * length only the part of the change request says something.
   */
  saidBy: (hash: string, markerLength: number | undefined) => Said | undefined;
}

type Change<Operation extends ContentChange['operation']> = Extract<ContentChange, { operation: Operation }>;
export type Apply<Operation extends ContentChange['operation']> = (
  change: Change<Operation>,
  context: ChangeContext,
) => void;

/** A fault of one field of a change. */
export const fault = (path: string, message: string): ApiError => invalid([{ path, message }]);

/** A clash with what is there now. */
export const clash = (path: string, message: string): ApiError =>
  new ApiError('conflict', message, [{ path, message }]);

/** What is left to be decided once these fields are. */
export function withoutFields(undecided: Undecided | undefined, fields: readonly string[]): Undecided | undefined {
  const left = Object.entries(undecided ?? {}).filter(([field]) => !fields.includes(field));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** A node of which these fields are decided as they are: whoever sets a field, to whatever value, decides it. */
export const decided = (node: Node, fields: readonly string[]): Node =>
  node.undecided === undefined ? node : { ...node, undecided: withoutFields(node.undecided, fields) };

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
