import type { Node } from '@octavo/merge';

/** A node of the top level that says nothing yet. */
export const blankNode = (kind: Node['kind'], id: string, now: number): Node => ({
  kind,
  id,
  parent: '',
  position: '',
  slug: '',
  fields: {},
  document: null,
  createdAt: now,
  updatedAt: now,
});
