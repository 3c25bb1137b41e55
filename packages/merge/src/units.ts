import type { Node } from './node.ts';

/** The fields of a file that follow from its bytes: a merge takes them all from one side. */
const fieldsOfBytes = new Set(['blob', 'contentType', 'size', 'oid', 'width', 'height']);

/** What merges as one each: the fields, and of a file its bytes with all that follows from them. */
export function unitsOf({ kind, fields }: Pick<Node, 'kind' | 'fields'>): Node['fields'] {
  if (kind !== 'file') return fields;
  const entries = Object.entries(fields);
  const bytes = Object.fromEntries(entries.filter(([key]) => fieldsOfBytes.has(key)));
  return { ...Object.fromEntries(entries.filter(([key]) => !fieldsOfBytes.has(key))), bytes };
}

/** The fields that `unitsOf` made units of. */
export function fieldsOfUnits(kind: Node['kind'], { bytes, ...others }: Node['fields']): Node['fields'] {
  if (kind === 'file') return { ...others, ...(bytes as Node['fields']) };
  return bytes === undefined ? others : { ...others, bytes };
}
