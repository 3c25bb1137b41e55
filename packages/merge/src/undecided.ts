import type { Node, ThreeWay, UndecidedField, UndecidedText } from './node.ts';

/** Three sides as they were before an update left something open; `edited` is a text that somebody is deciding on. */
interface FormerSides extends ThreeWay {
  edited?: UndecidedField;
}

/**
 * The sides of a merge in which nothing is decided that nobody decided: a field that an update left open has the base
 * that it had then. So has a document, with the text before the markers; one whose markers are being edited stays apart.
 */
export function formerSides(sides: ThreeWay): FormerSides {
  const { incoming } = sides;
  if (incoming === undefined) return sides;
  const base = sides.base && withFormerFields(sides.base, sides.undecided);
  const open = sides.undecided?.document;
  if (open?.text === undefined) {
    const document = incoming.documentBase;
    return { ...sides, base: base && (document === undefined ? base : { ...base, document }) };
  }
  const { text } = open;
  if (text.written === incoming.document) return { ...sides, ...beforeMarkers(base, incoming, text) };
  const { document, oid, links } = incoming;
  const alike = (node: Node | undefined) => node && { ...node, document, oid, links };
  const edited = { ...open, message: 'the text still contains conflict markers' };
  // What is being edited counts as changed where the page is gone.
  return { ...sides, base: sides.main === undefined ? base : alike(base), main: alike(sides.main), edited };
}

function withFormerFields(base: Node, undecided: ThreeWay['undecided'] = {}): Node {
  const former = { ...base };
  const units = { ...unitsOf(base) };
  for (const [field, { base: value }] of Object.entries(undecided)) {
    if (value === undefined) continue;
    if (field === 'place') [former.parent, former.position] = (value ?? ['', '']) as [string, string];
    else if (field === 'slug') former.slug = String(value ?? '');
    else if (value === null) delete units[field];
    else units[field] = value;
  }
  return { ...former, fields: fieldsOfUnits(base.kind, units) };
}

function beforeMarkers(
  base: Node | undefined,
  incoming: Node,
  text: UndecidedText,
): Pick<ThreeWay, 'base' | 'incoming'> {
  return {
    base: base && { ...base, document: text.base ?? null },
    incoming: { ...incoming, document: text.incoming ?? null, oid: text.oid },
  };
}

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
