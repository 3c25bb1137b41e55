import type { Json } from '@octavo/expression';

/** Maximum nesting depth of pages. */
export const maxPageDepth = 32;

/** A field in conflict, with its base until a user resolves the conflict. */
export interface UndecidedField {
  message: string;
  /** The value at the common base of both sides. */
  base?: Json | undefined;
  /** The conflict of a document text. */
  text?: UndecidedText | undefined;
  /** For the field `parent`: the revision of the change request before the update that made it invalid. */
  before?: string | undefined;
}

/** The hashes of the three documents of a merge with conflicts. */
export interface UndecidedText {
  base?: string | null | undefined;
  main?: string | null | undefined;
  incoming?: string | null | undefined;
  /** The git blob id of `incoming`. */
  oid?: string | undefined;
  /**
   * The document that the update wrote. While the node still has this document, the next update merges the three
   * documents again.
   */
  written?: string | null | undefined;
  /** The length of the conflict markers; undefined if there are none. */
  markerLength?: number | undefined;
}

export type Undecided = { [field: string]: UndecidedField };

/**
 * One state of a node of a space: a page, file, reusable content or variable. A node that does not exist or was deleted
 * is `undefined`.
 */
export interface Node {
  kind: 'page' | 'file' | 'reusable-content' | 'variable';
  id: string;
  /** The id of the parent page, '' at the root. */
  parent: string;
  /** A fractional index key. Siblings are sorted by position, then by id. */
  position: string;
  slug: string;
  /** Other data. Each key is a separate field of a merge. */
  fields: { [key: string]: Json };
  /** The SHA-256 of the markdown; null if the node has no document. */
  document: string | null;
  /** The git blob id of the markdown, determined by the document. */
  oid?: string | undefined;
  /**
   * The link targets of the document at the time it was written: from the target in the text, without its anchor, to
   * the id of a page, a file or reusable content. They depend only on the document and its location.
   */
  links?: Record<string, string> | undefined;
  /** Former anchors of headings of the document, with the current ids of these headings. */
  anchors?: Record<string, string> | undefined;
  /** The fields that an update could not merge and that no user has decided since. Only in a change request. */
  undecided?: Undecided | undefined;
  /**
   * The document of main that was used when this document's conflict was resolved, if it is not the document of the
   * branch's base.
   */
  documentBase?: string | null | undefined;
  /** Milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
}

/** The three states of a node; `undefined` if the node does not exist in a state. */
export interface ThreeWay {
  base: Node | undefined;
  main: Node | undefined;
  incoming: Node | undefined;
  /** The fields of the incoming state that an earlier update left undecided. */
  undecided?: Undecided | undefined;
}

/** Returns the key of a node in maps. Ids are unique only within their kind. */
export const getNodeKey = (node: Pick<Node, 'kind' | 'id'>): string => `${node.kind}:${node.id}`;

/** Compares JSON values by content, regardless of the order of keys. */
export function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [left, right] = [Object.entries(one), Object.entries(other)];
  if (Array.isArray(one) !== Array.isArray(other) || left.length !== right.length) return false;
  return left.every(
    ([key, value]) => Object.hasOwn(other, key) && isSameJson(value, (other as Record<string, Json>)[key]),
  );
}

/**
 * Compares everything that readers can see: all fields except times, recorded links, former anchors and undecided
 * fields.
 */
export function isSameNode(one: Node | undefined, other: Node | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.parent === other.parent &&
    one.position === other.position &&
    one.slug === other.slug &&
    one.document === other.document &&
    isSameJson(one.fields, other.fields)
  );
}

/** Whether two states leave the same fields undecided, with the same bases. */
export const hasSameDecisions = (one: Decisions | undefined, other: Decisions | undefined): boolean =>
  one?.documentBase === other?.documentBase && isSameJson(toJson(one?.undecided), toJson(other?.undecided));

type Decisions = Pick<Node, 'undecided' | 'documentBase'>;

const toJson = (undecided: Undecided = {}): Json => JSON.parse(JSON.stringify(undecided)) as Json;
