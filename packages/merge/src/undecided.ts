import type { Node, ThreeWay, UndecidedField, UndecidedText } from './node.ts';

/**
 * The three sides before an update left something undecided; `edited` is a text with markers that a user is editing.
 */
interface FormerSides extends ThreeWay {
  edited?: UndecidedField;
}

/**
 * Returns sides with which a merge decides nothing that no user has decided: an undecided field has the base that it
 * had at the update. So has a document, with its text before the markers; a document whose markers are being edited is
 * returned separately.
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
  const alike = (node: Node | undefined) => node && { ...node, document, oid, links };
  const edited = { ...open, message: 'the text still contains conflict markers' };
  // An edited document counts as changed if the page was deleted.
  return { ...sides, base: sides.main === undefined ? base : alike(base), main: alike(sides.main), edited };
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
  return { ...former, fields: fromUnits(base.kind, units) };
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

/** Returns the fields of the units that `toUnits` made. */
export function fromUnits(kind: Node['kind'], { bytes, ...others }: Node['fields']): Node['fields'] {
  if (kind === 'file') return { ...others, ...(bytes as Node['fields']) };
  return bytes === undefined ? others : { ...others, bytes };
}
