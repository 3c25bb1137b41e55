import type { Connection } from '@octavo/db';
import type { MergedNodes, Node } from '@octavo/document';
import { mergeNode, mergeTree, nodeKey } from '@octavo/document';
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
    let { node } = merged;
    if (node !== undefined && merged.text !== undefined) {
      const text = await storeText(sides.organization, merged.text);
      if (text.bytes > maxDocumentBytes) {
        merged.clashes.push({ field: 'document', message: 'the merged text would be larger than 1 MiB' });
        node = { ...node, ...unsettled(touched.incoming) };
      } else {
        stored.push(text);
        node = { ...node, document: text.hash, oid: text.oid };
      }
    }
    nodes.set(nodeKey(touched.key), { before: touched.main, node, clashes: merged.clashes });
  }
  mergeTree(nodes, sides.surroundings);
  return { nodes, texts: stored, conflicts: sides.touched.flatMap((touched) => conflictsOf(touched, nodes)) };
}

/** The document as it is, which cannot be merged before somebody has written it anew with main's side in mind. */
const unsettled = (node: Node | undefined): Pick<Node, 'document' | 'oid' | 'conflicted' | 'links'> => ({
  document: node?.document ?? null,
  oid: node?.oid,
  conflicted: true,
  links: node?.links,
});

/** The documents of a page that both sides changed, each to its own. */
function hashesToMerge({ base, main, incoming }: Touched): string[] {
  const hashes = [base, main, incoming].map((node) => node?.document ?? null);
  const changed = main !== undefined && incoming !== undefined && new Set(hashes).size === 3;
  return changed ? hashes.filter((hash) => hash !== null) : [];
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
