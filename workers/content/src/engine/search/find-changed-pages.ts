import type { Database } from '@octavo/db';
import { readRows, runBatch } from '@octavo/db';
import type { Node } from '@octavo/merge';
import { getPageFields, toNode } from '../store/nodes.ts';
import type { ComparedRow, LiveState, SearchedBranch } from './changed-page-queries.ts';
import {
  compareChangedPages,
  maxChangedPages,
  maxPagesBelow,
  origins,
  queryLimitedTexts,
  queryPagesBelow,
} from './changed-page-queries.ts';
import type { TreePosition } from './excluded-pages.ts';
import { PageTree, queryAncestors } from './excluded-pages.ts';
import type { LivePage } from './index-pages.ts';

/** Maximum number of bytes of the texts of changed pages. */
export const maxChangedBytes = 262_144;

/** A page in a change request and in live content. */
interface ComparedPage {
  id: string;
  /** Undefined if the page does not exist in the change request. */
  node: Node | undefined;
  /** Undefined if the page does not exist in live content. */
  live: Exclude<LiveState, []> | undefined;
  /** Whether the index can have an entry of the page. The entry of a deleted page may not be removed yet. */
  mayBeIndexed: boolean;
  isIncluding: boolean;
}

interface FoundChanges {
  /** The pages to index. Conditions of ancestors are left out, because members see all pages. */
  changed: LivePage[];
  /** The pages whose entries in the index are ignored. */
  replaced: string[];
}

/**
 * Finds the pages that a change request changed, and those that live content changed since. Pages that only moved are
 * left out, because their entries in the index are correct, unless the move changes whether they are excluded from
 * search.
 */
export async function findChangedPages(db: Database, branch: SearchedBranch): Promise<FoundChanges> {
  const compared = toComparedPages(await readRows(db, compareChangedPages(branch)));
  const differing = compared.filter((page) => page.isIncluding || isDifferent(page)).slice(0, maxChangedPages);
  const moved = compared.filter(isMoved).map(({ id }) => id);
  const own = new PageTree(compared.map(({ id, node }) => [id, getTreePosition(node)]));
  const live = new PageTree(compared.map(({ id, live: state }) => [id, state ? [state[3], state[4]] : null]));
  const read = await runBatch(db, {
    texts: queryLimitedTexts(listDocuments(differing), maxChangedBytes),
    own: queryAncestors(branch.lineage, own.listUnknown([...differing.map(({ id }) => id), ...moved])),
    live: queryAncestors(branch.liveLineage, live.listUnknown(moved)),
  });
  own.add(read.own);
  live.add(read.live);
  const inheriting = moved.filter((id) => {
    const states = [own.isExcluded(id), live.isExcluded(id)];
    return states.includes(true) && states.includes(false);
  });
  const below = await findInheritingPages(
    db,
    branch,
    inheriting,
    Math.min(maxPagesBelow, maxChangedPages - differing.length),
  );
  own.add(below.map(({ id, node }) => ({ id, position: getTreePosition(node) })));
  const included = below.filter(({ id }) => own.isExcluded(id) === false);
  const room = read.texts.reduce((rest, { bytes }) => rest - bytes, maxChangedBytes);
  const others = included.length === 0 ? [] : await readRows(db, queryLimitedTexts(listDocuments(included), room));
  const texts = new Map([...read.texts, ...others].map(({ hash, markdown }) => [hash, markdown]));
  return selectPages([...differing, ...below], own, texts);
}

/**
 * Selects the pages to index, whose texts were read, and the pages whose index entries are ignored, which also include
 * deleted and excluded pages. Search finds all other pages by their live text.
 */
function selectPages(pages: ComparedPage[], tree: PageTree, texts: Map<string, string>): FoundChanges {
  const found: FoundChanges = { changed: [], replaced: [] };
  for (const { id, node, mayBeIndexed } of new Map(pages.map((page) => [page.id, page])).values()) {
    const isExcluded = node === undefined || tree.isExcluded(id);
    const markdown = typeof node?.document === 'string' ? texts.get(node.document) : '';
    if (isExcluded === undefined || (!isExcluded && markdown === undefined)) continue;
    if (mayBeIndexed) found.replaced.push(id);
    if (node !== undefined && !isExcluded && markdown !== undefined) found.changed.push({ node, markdown, above: [] });
  }
  return found;
}

/**
 * Reads pages that are excluded from search in the change request or in live content, but not in both, and the pages
 * below them.
 */
const findInheritingPages = async (
  db: Database,
  { lineage }: SearchedBranch,
  pages: string[],
  limit: number,
): Promise<ComparedPage[]> =>
  pages.length === 0 || limit === 0
    ? []
    : (await readRows(db, queryPagesBelow(lineage, pages, limit))).map(({ own }) =>
        toComparedPage({ id: own.id, own, live: [] }),
      );

/** Returns the pages in the order in which they are chosen: by origin, and within an origin the last changed first. */
function toComparedPages(rows: ComparedRow[]): ComparedPage[] {
  const including = new Set(rows.flatMap(({ id, origin }) => (origin === origins.include ? [id] : [])));
  const current = new Map(rows.toReversed().map((row) => [row.id, row]));
  return [...current.values()]
    .toSorted((a, b) => a.origin - b.origin || b.since - a.since || (a.id < b.id ? -1 : 1))
    .map((row) => toComparedPage(row, including.has(row.id)));
}

function toComparedPage(
  { id, own, live }: Pick<ComparedRow, 'id' | 'own' | 'live'>,
  isIncluding = false,
): ComparedPage {
  const node = own === null ? undefined : toNode(own);
  return { id, node, live: live?.length ? live : undefined, mayBeIndexed: live !== null, isIncluding };
}

const getTreePosition = (node: Node | undefined): TreePosition | null =>
  node === undefined ? null : [node.parent, getPageFields(node).noIndex];

const listDocuments = (pages: ComparedPage[]): string[] => [
  ...new Set(pages.flatMap(({ node }) => node?.document ?? [])),
];

function isDifferent({ node, live }: ComparedPage): boolean {
  if (node === undefined || live === undefined) return (node === undefined) !== (live === undefined);
  const { title, type } = getPageFields(node);
  return node.document !== live[0] || title !== live[1] || type !== live[2];
}

function isMoved({ node, live }: ComparedPage): boolean {
  if (node === undefined || live === undefined) return false;
  return node.parent !== live[3] || Boolean(getPageFields(node).noIndex) !== Boolean(live[4]);
}
