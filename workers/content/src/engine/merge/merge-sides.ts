import type { Connection } from '@octavo/db';
import type { Clash, MergedNode, MergedNodes, Node, Undecided, UndecidedField } from '@octavo/merge';
import { formerSides, mergeNode, mergeTree, nodeKey } from '@octavo/merge';
import type { MergeConflict } from '@octavo/schema';
import { maxDocumentBytes } from '@octavo/schema';
import type { StoredText } from '../nodes/documents.ts';
import { findTexts, storeText } from '../nodes/documents.ts';
import type { MergeSides, Touched } from './load-merge.ts';

export interface Merged {
  nodes: MergedNodes;
  /** Documents that the merge made. */
  texts: StoredText[];
  conflicts: MergeConflict[];
}

/** Merges what a change request touched with main: nodes first, then the rules of the tree. Writes nothing. */
export async function mergeSides(connection: Connection, sides: MergeSides): Promise<Merged> {
  const texts = await findTexts(connection.db, sides.touched.flatMap(hashesToMerge));
  const stored: StoredText[] = [];
  const nodes: MergedNodes = new Map();
  for (const touched of sides.touched) {
    const merged = mergeNode(touched, (hash) => texts.get(hash) ?? '');
    const text = merged.text === undefined ? undefined : await storeText(sides.organization, merged.text);
    if (text !== undefined && text.bytes <= maxDocumentBytes) stored.push(text);
    const { node, clashes } = text === undefined ? merged : withText(merged, text, touched.incoming);
    nodes.set(nodeKey(touched.key), { before: touched.main, node, clashes });
  }
  mergeTree(nodes, sides.surroundings);
  return { nodes, texts: stored, conflicts: sides.touched.flatMap((touched) => conflictsOf(touched, nodes)) };
}

/** A node with its merged document. One that would be too large stays as it is, for somebody to write anew. */
function withText({ node, clashes, madeOf }: MergedNode, text: StoredText, incoming: Node | undefined): MergedNode {
  if (node === undefined) return { node, clashes };
  if (text.bytes <= maxDocumentBytes) {
    const written = clashes.map((clash) => withWritten(clash, text.hash));
    return { node: { ...node, document: text.hash, oid: text.oid }, clashes: written };
  }
  const { markerLength, incoming: document = null, oid, ...rest } = madeOf ?? {};
  const message = 'the merged text would be larger than 1 MiB';
  const others = clashes.filter(({ field }) => field !== 'document');
  const tooLarge = { field: 'document', message, text: { ...rest, incoming: document, oid, written: document } };
  return { node: { ...node, document, oid, links: incoming?.links }, clashes: [...others, tooLarge] };
}

const withWritten = (clash: Clash, written: string): Clash =>
  clash.text === undefined ? clash : { ...clash, text: { ...clash.text, written } };

/**
 * What an update leaves to be decided of a node. A place that the tree cannot have is kept with the revision of the
 * change request that had it.
 */
export function undecidedIn({ nodes }: Merged, { key, undecided }: Touched, revision: string): Undecided | undefined {
  const { clashes = [] } = nodes.get(nodeKey(key)) ?? {};
  if (clashes.length === 0) return undefined;
  return Object.fromEntries(
    clashes.map(({ field, ...clash }): [string, UndecidedField] => [
      field,
      field === 'parent' ? { ...clash, before: undecided?.parent?.before ?? revision } : clash,
    ]),
  );
}

/** The documents of a page that both sides changed, each to its own. */
function hashesToMerge(touched: Touched): string[] {
  const { base, main, incoming, edited } = formerSides(touched);
  const hashes = [base, main, incoming].map((node) => node?.document ?? null);
  const changed = main !== undefined && incoming !== undefined && new Set(hashes).size === 3;
  return changed && edited === undefined ? hashes.filter((hash) => hash !== null) : [];
}

function conflictsOf({ key, base, main, incoming }: Touched, nodes: MergedNodes): MergeConflict[] {
  const title = (incoming ?? main ?? base)?.fields.title;
  return (nodes.get(nodeKey(key))?.clashes ?? []).map(({ field, message }) => ({
    ...key,
    ...(typeof title === 'string' ? { title } : {}),
    field,
    message,
  }));
}
