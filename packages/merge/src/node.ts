import type { Json } from '@octavo/expression';

/** The deepest that pages nest. */
export const maxPageDepth = 32;

/** A field that is in conflict: its base is what it was, until somebody decides. */
export interface UndecidedField {
  message: string;
  /** The value at the base that the two sides went apart from. */
  base?: Json | undefined;
  /** Of a document. */
  text?: UndecidedText | undefined;
  /** Of the field `parent`: the revision of the change request before the update that made it unsound. */
  before?: string | undefined;
}

/** The three documents of a merge that did not come out, by their hashes. */
export interface UndecidedText {
  base?: string | null | undefined;
  main?: string | null | undefined;
  incoming?: string | null | undefined;
  /** The git blob id of `incoming`. */
  oid?: string | undefined;
  /** The document that the update wrote: as long as it stands there, the next update begins from the three again. */
  written?: string | null | undefined;
  /** The length of the markers in it; left out where there are none. */
  markerLength?: number | undefined;
}

export type Undecided = { [field: string]: UndecidedField };

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
  /** Anchors that headings of the document had under former titles, to the ids that these headings have now. */
  anchors?: Record<string, string> | undefined;
  /** What an update could not merge and nobody has decided since, by field. Only in a change request. */
  undecided?: Undecided | undefined;
  /** The document of main that this one was decided on, where that is not the one of the branch's base. */
  documentBase?: string | null | undefined;
  /** Milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
}

/** The three states of one node; `undefined` where it does not exist. */
export interface ThreeWay {
  base: Node | undefined;
  main: Node | undefined;
  incoming: Node | undefined;
  /** What an earlier update left open in the incoming state. */
  undecided?: Undecided | undefined;
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

/** Equality of what a reader can tell: all but the times, what links meant and headings were called, what is to be decided. */
export function sameNode(one: Node | undefined, other: Node | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.parent === other.parent &&
    one.position === other.position &&
    one.slug === other.slug &&
    one.document === other.document &&
    sameJson(one.fields, other.fields)
  );
}

/** Whether two states leave the same to be decided, on the same grounds. */
export const sameDecisions = (one: Decisions | undefined, other: Decisions | undefined): boolean =>
  one?.documentBase === other?.documentBase && sameJson(asJson(one?.undecided), asJson(other?.undecided));

type Decisions = Pick<Node, 'undecided' | 'documentBase'>;

const asJson = (undecided: Undecided = {}): Json => JSON.parse(JSON.stringify(undecided)) as Json;
