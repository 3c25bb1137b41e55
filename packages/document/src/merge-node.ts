import { keepLinks } from './links/keep-links.ts';
import { mergeText } from './merge-text.ts';
import type { Json, Node } from './node.ts';
import { sameJson, sameNode } from './node.ts';

/** A clash in one node: the field, and what happened to it. */
export interface Clash {
  field: string;
  message: string;
}

/** The three states of one node; `undefined` where it does not exist. */
export interface ThreeWay {
  base: Node | undefined;
  main: Node | undefined;
  incoming: Node | undefined;
}

/** A merged node; `text` where its document is new, `clashes` where a person must decide. */
export interface MergedNode {
  node: Node | undefined;
  text?: string;
  clashes: Clash[];
}

/**
 * Merges one node three ways, field by field (design: content model, "Merging"). Where both sides changed a field
 * differently the result holds the incoming value, and of a document the text with conflict markers.
 * `textOf` gives the markdown of a document by its hash.
 */
export function mergeNode(sides: ThreeWay, textOf: (hash: string) => string): MergedNode {
  const { base, main, incoming } = sides;
  if (sameNode(main, incoming) || sameNode(base, incoming)) return { node: main, clashes: [] };
  if (sameNode(base, main)) return { node: incoming, clashes: [] };
  if (main === undefined)
    return { node: incoming, clashes: [{ field: 'node', message: 'deleted in main, changed here' }] };
  if (incoming === undefined)
    return { node: undefined, clashes: [{ field: 'node', message: 'changed in main, deleted here' }] };
  return mergeStates({ base, main, incoming }, textOf);
}

type Present = { base: Node | undefined; main: Node; incoming: Node };

function mergeStates({ base, main, incoming }: Present, textOf: (hash: string) => string): MergedNode {
  const clashes: Clash[] = [];
  const pick = <Value extends Json>(field: string, values: [Value | undefined, Value, Value]): Value => {
    const [was, ours, theirs] = values;
    if (sameJson(ours, theirs) || sameJson(was, theirs)) return ours;
    if (!sameJson(was, ours)) clashes.push({ field, message: 'changed on both sides' });
    return theirs;
  };
  const placeOf = (node: Node): [string, string] => [node.parent, node.position];
  const [parent, position] = pick('place', [base && placeOf(base), placeOf(main), placeOf(incoming)]) as [
    string,
    string,
  ];
  const slug = pick('slug', [base?.slug, main.slug, incoming.slug]);
  const [was, ours, theirs] = [base, main, incoming].map((node) => node && unitsOf(node));
  const units: Node['fields'] = {};
  for (const key of [...new Set([was, ours, theirs].flatMap((node) => Object.keys(node ?? {})))].sort()) {
    const value = pick(key, [orNull(was?.[key]), orNull(ours?.[key]), orNull(theirs?.[key])]);
    if (value !== null) units[key] = value;
  }
  const { bytes, ...others } = units;
  const fields = main.kind === 'file' ? { ...others, ...(bytes as Node['fields']) } : units;
  const document = mergeDocument({ base, main, incoming }, textOf, clashes);
  return {
    node: { ...incoming, parent, position, slug, fields, ...document.state, createdAt: main.createdAt },
    ...(document.text === undefined ? {} : { text: document.text }),
    clashes,
  };
}

/** The fields of a file that follow from its bytes: a merge takes them all from one side. */
const fieldsOfBytes = new Set(['blob', 'contentType', 'size', 'oid', 'width', 'height']);

/** What merges as one each: the fields, and of a file its bytes with all that follows from them. */
function unitsOf({ kind, fields }: Node): Node['fields'] {
  if (kind !== 'file') return fields;
  const entries = Object.entries(fields);
  const bytes = Object.fromEntries(entries.filter(([key]) => fieldsOfBytes.has(key)));
  return { ...Object.fromEntries(entries.filter(([key]) => !fieldsOfBytes.has(key))), bytes };
}

const orNull = (value: Json | undefined): Json => value ?? null;

type DocumentState = Pick<Node, 'document' | 'oid' | 'conflicted' | 'links'>;

/** A merged text has no hash yet: its state is filled in by whoever stores the text. */
function mergeDocument(
  { base, main, incoming }: Present,
  textOf: (hash: string) => string,
  clashes: Clash[],
): { state: DocumentState; text?: string } {
  const stateOf = ({ document, oid, conflicted, links }: Node): DocumentState => ({ document, oid, conflicted, links });
  if (main.document === incoming.document)
    return { state: { ...stateOf(main), links: eitherOf(incoming.links, main.links) } };
  if (incoming.document === (base?.document ?? null)) return { state: stateOf(main) };
  if (main.document === (base?.document ?? null)) return { state: stateOf(incoming) };
  const text = (node: Node | undefined) => (node?.document == null ? '' : textOf(node.document));
  const merged = mergeText({ base: text(base), main: text(main), incoming: text(incoming) });
  if (merged.conflicts > 0)
    clashes.push({ field: 'document', message: `${merged.conflicts} place(s) changed on both sides` });
  return {
    state: {
      document: null,
      oid: undefined,
      conflicted: merged.conflicts > 0 || incoming.conflicted || undefined,
      links: keepLinks(merged.text, eitherOf(main.links, incoming.links)),
    },
    text: merged.text,
  };
}

/** The links of both, the later where they differ. */
const eitherOf = (one: Node['links'], other: Node['links']): Node['links'] =>
  one === undefined && other === undefined ? undefined : { ...one, ...other };
