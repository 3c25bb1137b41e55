import type { Json } from '@octavo/expression';
import { getAnchors, getLinks, removeAnchor } from '@octavo/markdown';
import type { MergedText } from './merge-text.ts';
import { mergeText } from './merge-text.ts';
import type { Node, ThreeWay, UndecidedField, UndecidedText } from './node.ts';
import { isSameJson, isSameNode } from './node.ts';

/** A conflict in one field of a node, with the base of both sides. */
export interface FieldConflict extends UndecidedField {
  field: string;
}

/**
 * A merged node. `text` and `conflictText` are set if the merged document is new. Users must decide about `clashes`.
 */
export interface MergedNode {
  node: Node | undefined;
  text?: string;
  conflictText?: UndecidedText;
  clashes: FieldConflict[];
}

/**
 * Merges one node three ways, field by field. If both sides changed a field differently, the result contains the
 * incoming value, or for a document the text with conflict markers. Fields that an earlier update left unresolved are
 * merged from the base of that update. `readText` returns the markdown of a document by its hash.
 */
export function mergeNode(sides: ThreeWay, readText: (hash: string) => string): MergedNode {
  const { edited, ...formerSides } = restoreFormerSides(sides);
  const merged = removeDecisions(mergeSides(formerSides, readText));
  if (edited !== undefined) merged.clashes.push({ field: 'document', ...edited });
  return merged;
}

function removeDecisions({ node, ...merged }: MergedNode): MergedNode {
  return { ...merged, node: node && { ...node, undecided: undefined, documentBase: undefined } };
}

function mergeSides({ base, main, incoming, undecided }: ThreeWay, readText: (hash: string) => string): MergedNode {
  if (isSameNode(main, incoming)) return { node: main, clashes: [] };
  const isOpen = undecided?.node !== undefined && (main === undefined || incoming === undefined);
  if (isSameNode(base, incoming) && !isOpen) return { node: main, clashes: [] };
  if (isSameNode(base, main) && !isOpen) return { node: incoming, clashes: [] };
  if (main === undefined)
    return {
      node: incoming,
      clashes: [{ field: 'node', message: 'deleted in the live content, changed in the change request' }],
    };
  if (incoming === undefined)
    return {
      node: undefined,
      clashes: [{ field: 'node', message: 'changed in the live content, deleted in the change request' }],
    };
  return mergeStates({ base, main, incoming }, readText);
}

type Present = { base: Node | undefined; main: Node; incoming: Node };

function mergeStates({ base, main, incoming }: Present, readText: (hash: string) => string): MergedNode {
  const clashes: FieldConflict[] = [];
  const mergeValue = <Value extends Json>(field: string, values: [Value | undefined, Value, Value]): Value => {
    const [baseValue, ours, theirs] = values;
    if (isSameJson(ours, theirs) || isSameJson(baseValue, theirs)) return ours;
    if (!isSameJson(baseValue, ours))
      clashes.push({ field, message: 'changed on both sides', base: baseValue ?? null });
    return theirs;
  };
  const getPosition = (node: Node): [string, string] => [node.parent, node.position];
  const [parent, position] = mergeValue('place', [
    base && getPosition(base),
    getPosition(main),
    getPosition(incoming),
  ]) as [string, string];
  const slug = mergeValue('slug', [base?.slug, main.slug, incoming.slug]);
  const [baseUnits, ours, theirs] = [base, main, incoming].map((node) => node && toUnits(node));
  const units: Node['fields'] = {};
  for (const key of [...new Set([baseUnits, ours, theirs].flatMap((node) => Object.keys(node ?? {})))].sort()) {
    const values: [Json, Json, Json] = [toNull(baseUnits?.[key]), toNull(ours?.[key]), toNull(theirs?.[key])];
    const value = key === 'gitLinks' ? mergeGitLinks(values) : mergeValue(key, values);
    if (value !== null) units[key] = value;
  }
  const document = mergeDocument({ base, main, incoming }, readText, clashes);
  return {
    node: {
      ...incoming,
      parent,
      position,
      slug,
      fields: toFields(main.kind, units),
      ...document.state,
      createdAt: main.createdAt,
    },
    ...document.merged,
    clashes,
  };
}

/**
 * Users never decide about the link targets of git sources: the links of both sides are combined, and the incoming ones
 * win.
 */
function mergeGitLinks([base, ours, theirs]: [Json, Json, Json]): Json {
  if (isSameJson(base, theirs)) return ours;
  return isSameJson(base, ours) ? theirs : { ...(ours as Node['fields']), ...(theirs as Node['fields']) };
}

const toNull = (value: Json | undefined): Json => value ?? null;

type DocumentState = Pick<Node, 'document' | 'oid' | 'links' | 'anchors'>;

/** A merged text has no hash yet; the code that stores the text sets it. */
function mergeDocument(
  { base, main, incoming }: Present,
  readText: (hash: string) => string,
  clashes: FieldConflict[],
): { state: DocumentState; merged?: Pick<MergedNode, 'text' | 'conflictText'> } {
  const getState = ({ document, oid, links, anchors }: Node): DocumentState => ({
    ...{ document, oid, links, anchors },
  });
  if (main.document === incoming.document) return { state: { ...getState(main), ...combineRecorded(incoming, main) } };
  if (incoming.document === (base?.document ?? null)) return { state: getState(main) };
  if (main.document === (base?.document ?? null)) return { state: getState(incoming) };
  const getText = (node: Node | undefined) => (node?.document == null ? '' : readText(node.document));
  const merged = mergeText({ base: getText(base), main: getText(main), incoming: getText(incoming) });
  const conflictText = {
    base: base?.document ?? null,
    main: main.document,
    incoming: incoming.document,
    oid: incoming.oid,
    markerLength: merged.markerLength,
  };
  const { links, anchors } = combineRecorded(main, incoming);
  if (merged.conflicts > 0) clashes.push({ field: 'document', message: getMessage(merged), text: conflictText });
  return {
    state: {
      document: null,
      oid: undefined,
      links: filterLinks(merged.text, links),
      anchors: removePresent(merged.text, anchors),
    },
    merged: { text: merged.text, conflictText },
  };
}

const getMessage = ({ crossesTags, conflicts }: MergedText): string =>
  crossesTags
    ? 'changed on both sides, and merging would leave tags overlapping or unclosed'
    : `changed on both sides in ${conflicts} location(s)`;

type Recorded = Record<string, string> | undefined;

/** Combines two records. If both have a key, the value of `other` wins. */
const combine = (one: Recorded, other: Recorded): Recorded =>
  one === undefined && other === undefined ? undefined : { ...one, ...other };

const combineRecorded = (one: Node, other: Node): Pick<Node, 'links' | 'anchors'> => ({
  links: combine(one.links, other.links),
  anchors: combine(one.anchors, other.anchors),
});

/**
 * Returns the id that a link target had when its document was written. Targets are arbitrary texts, so names of
 * inherited properties must not count as recorded.
 */
export const getRecordedLink = (node: Node, target: string): string | undefined =>
  node.links !== undefined && Object.hasOwn(node.links, target) ? node.links[target] : undefined;

/** Returns the current id of the heading that formerly had this anchor. */
export const getRenamedAnchor = (node: Pick<Node, 'anchors'>, anchor: string): string | undefined =>
  node.anchors !== undefined && Object.hasOwn(node.anchors, anchor) ? node.anchors[anchor] : undefined;

/** Removes former anchors that the text now contains itself. */
function removePresent(markdown: string, anchors: Node['anchors']): Node['anchors'] {
  if (anchors === undefined) return undefined;
  const present = new Set(getAnchors(markdown).flatMap(({ id, aliases }) => [id, ...aliases]));
  const keptAnchors = Object.entries(anchors).filter(([name]) => !present.has(name));
  return keptAnchors.length === 0 ? undefined : Object.fromEntries(keptAnchors);
}

/** Keeps the recorded links whose targets the text still contains. */
function filterLinks(markdown: string, links: Node['links']): Node['links'] {
  if (links === undefined) return undefined;
  const targets = new Set(getLinks(markdown).map(({ target }) => removeAnchor(target)));
  const keptLinks = Object.entries(links).filter(([target]) => targets.has(target));
  return keptLinks.length === 0 ? undefined : Object.fromEntries(keptLinks);
}

/**
 * The three sides as they were before an update left something undecided. `edited` is a text with conflict markers that
 * a user is editing.
 */
interface FormerSides extends ThreeWay {
  edited?: UndecidedField;
}

/**
 * Returns the sides for a merge that leaves the decision about undecided fields to a user. An undecided field gets the
 * base that it had at the update. An undecided document also gets the text that it had before the conflict markers were
 * inserted. A document whose markers are being edited is returned separately.
 */
export function restoreFormerSides(sides: ThreeWay): FormerSides {
  const { incoming } = sides;
  if (incoming === undefined) return sides;
  const base = sides.base && restoreFormerFields(sides.base, sides.undecided);
  const open = sides.undecided?.document;
  if (open?.text === undefined) {
    const document = incoming.documentBase;
    return { ...sides, base: base && (document === undefined ? base : { ...base, document }) };
  }
  const { text } = open;
  if (text.written === incoming.document) return { ...sides, ...restoreBeforeMarkers(base, incoming, text) };
  const { document, oid, links } = incoming;
  const toSameState = (node: Node | undefined) => node && { ...node, document, oid, links };
  const edited = { ...open, message: 'the text still contains conflict markers' };
  // If the page was deleted, an edited document counts as changed.
  return { ...sides, base: sides.main === undefined ? base : toSameState(base), main: toSameState(sides.main), edited };
}

function restoreFormerFields(base: Node, undecided: ThreeWay['undecided'] = {}): Node {
  const former = { ...base };
  const units = { ...toUnits(base) };
  for (const [field, { base: value }] of Object.entries(undecided)) {
    if (value === undefined) continue;
    if (field === 'place') [former.parent, former.position] = (value ?? ['', '']) as [string, string];
    else if (field === 'slug') former.slug = String(value ?? '');
    else if (value === null) delete units[field];
    else units[field] = value;
  }
  return { ...former, fields: toFields(base.kind, units) };
}

function restoreBeforeMarkers(
  base: Node | undefined,
  incoming: Node,
  text: UndecidedText,
): Pick<ThreeWay, 'base' | 'incoming'> {
  return {
    base: base && { ...base, document: text.base ?? null },
    incoming: { ...incoming, document: text.incoming ?? null, oid: text.oid },
  };
}

/** The fields of a file that depend on its bytes. A merge takes all of them from one side. */
const fieldsOfBytes = new Set(['blob', 'contentType', 'size', 'oid', 'width', 'height']);

/**
 * Returns the units of a merge: the fields, and for a file its bytes with all fields that depend on them as one unit.
 */
export function toUnits({ kind, fields }: Pick<Node, 'kind' | 'fields'>): Node['fields'] {
  if (kind !== 'file') return fields;
  const entries = Object.entries(fields);
  const bytes = Object.fromEntries(entries.filter(([key]) => fieldsOfBytes.has(key)));
  return { ...Object.fromEntries(entries.filter(([key]) => !fieldsOfBytes.has(key))), bytes };
}

/** Converts the units of `toUnits` back to fields. */
export function toFields(kind: Node['kind'], { bytes, ...others }: Node['fields']): Node['fields'] {
  if (kind === 'file') return { ...others, ...(bytes as Node['fields']) };
  return bytes === undefined ? others : { ...others, bytes };
}
