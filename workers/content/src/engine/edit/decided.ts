import type { Node, Undecided } from '@octavo/document';

/** What is left to be decided once these fields are. */
export function withoutFields(undecided: Undecided | undefined, fields: readonly string[]): Undecided | undefined {
  const left = Object.entries(undecided ?? {}).filter(([field]) => !fields.includes(field));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** A node of which these fields are decided as they are: whoever sets a field, to whatever value, decides it. */
export const decided = (node: Node, fields: readonly string[]): Node =>
  node.undecided === undefined ? node : { ...node, undecided: withoutFields(node.undecided, fields) };
