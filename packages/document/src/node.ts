/** The deepest that pages nest. */
export const maxPageDepth = 32;

/** A value that JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** One thing in a space's content, in one state; a node that does not exist, or no longer, is `undefined`. */
export interface Node {
  kind: 'page' | 'file' | 'reusable-content' | 'variable';
  id: string;
  /** The id of the parent page, '' at the root. */
  parent: string;
  /** A fractional index key: siblings stand in the order of position, then id. */
  position: string;
  slug: string;
  /** What else there is to say of it, each key a field of its own when merging. */
  fields: { [key: string]: Json };
  /** SHA-256 of the markdown, or null where there is no document. */
  document: string | null;
  /** The git blob id of the markdown; follows from the document. */
  oid?: string | undefined;
  /**
   * What the links of the document meant when it was written: the target as written, without its anchor, to the id of a
   * page, a file or a reusable content. Follows from the document and from where it stood.
   */
  links?: Record<string, string> | undefined;
  /** True from an update that could not merge the document until a text without conflict markers is written. */
  conflicted?: boolean | undefined;
  /** Milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
}

/** The key under which maps hold a node: ids are unique within their kind. */
export const nodeKey = (node: Pick<Node, 'kind' | 'id'>): string => `${node.kind}:${node.id}`;

/** Equality of JSON values by content; the order of keys does not matter. */
export function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [left, right] = [Object.entries(one), Object.entries(other)];
  if (Array.isArray(one) !== Array.isArray(other) || left.length !== right.length) return false;
  return left.every(
    ([key, value]) => Object.hasOwn(other, key) && sameJson(value, (other as Record<string, Json>)[key]),
  );
}

/** Equality of what a reader can tell: everything but the times, and what links meant to whom wrote them. */
export function sameNode(one: Node | undefined, other: Node | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.parent === other.parent &&
    one.position === other.position &&
    one.slug === other.slug &&
    one.document === other.document &&
    (one.conflicted ?? false) === (other.conflicted ?? false) &&
    sameJson(one.fields, other.fields)
  );
}
