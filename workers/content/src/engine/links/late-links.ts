import type { Database, RevisionPoint } from '@octavo/db';
import { readRows, runBatch } from '@octavo/db';
import { getLinks, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptLink } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import type { ShownPages } from '../reading/visibility.ts';
import { findAncestors, selectIds } from '../store/lineage.ts';
import { getPageFields, toNodes } from '../store/nodes.ts';
import type { Lookup } from './targets.ts';
import { isId, lookupKey, readTarget, readTargets, targetReads } from './targets.ts';

/** What one reading looks up at most; further targets stay as they are written. */
const maxLookups = 2_000;

/** Nodes by their ids, with what was not there yet when their texts were written among their links. */
export type LinkedNodes = ReadonlyMap<string, Node>;

interface LateReading {
  db: Database;
  point: RevisionPoint;
  space: SpaceId;
  urls: Urls;
  /** The pages that a visitor is shown, as far as they are known; undefined for members. */
  shown: ShownPages | undefined;
}

/** The nodes of texts of which a target came after them, and what is known then of the pages that a visitor is shown. */
interface LateLinks {
  linkedNodes: LinkedNodes;
  shown: ShownPages | undefined;
}

/** A node with addresses that it names. */
interface Naming {
  node: Node;
  targets: string[];
}

/** A text of a node with the addresses in it, for which it is read once and only where they are asked for. */
export class LinkingText {
  readonly node: Node;
  readonly markdown: string;
  readonly #found: { targets?: string[] };

  constructor({ node, markdown }: Pick<LinkingText, 'node' | 'markdown'>, found: { targets?: string[] } = {}) {
    this.node = node;
    this.markdown = markdown;
    this.#found = found;
  }

  get targets(): string[] {
    this.#found.targets ??= getLinks(this.markdown).map(({ target }) => target);
    return this.#found.targets;
  }

  /** The same text, of a node of which more is known. */
  of = (node: Node): LinkingText => new LinkingText({ node, markdown: this.markdown }, this.#found);
}

/** A page with the path of its cover. */
export function namedAsCover(page: Node): Naming {
  const ref = getPageFields(page).cover?.ref;
  return { node: page, targets: ref?.kind === 'file' && !isId(ref.file) ? [ref.file] : [] };
}

/** Pages with what came of their covers after them: one round trip, and none where no cover is sought. */
export async function withLateCovers(pages: Node[], reading: LateReading): Promise<Node[]> {
  const { linkedNodes } = await readLateLinks(pages.map(namedAsCover), reading);
  return linkedNodes.size === 0 ? pages : pages.map((page) => linkedNodes.get(page.id) ?? page);
}

/** A target of a text for which nothing is kept. */
interface LateTarget {
  node: Node;
  target: string;
  lookups: Lookup[];
}

/**
 * Finds the targets that came after what names them, of each node once. One round trip, and none where what each target leads to is kept; one
 * more where pages are found that a visitor may not be shown. Rows read follow the other targets.
 */
export async function readLateLinks(
  naming: Naming[],
  { db, point, shown, ...origin }: LateReading,
): Promise<LateLinks> {
  const distinct = new Map<string, Naming>();
  for (const each of naming) if (!distinct.has(each.node.id)) distinct.set(each.node.id, each);
  const late = [...distinct.values()].flatMap((each) => lateTargets(each, origin));
  if (late.length === 0) return { linkedNodes: new Map(), shown };
  const lineage = JSON.stringify(point.lineage);
  const lookups = late.flatMap((each) => each.lookups).slice(0, maxLookups);
  const targets = readTargets(await runBatch(db, targetReads(lineage, lookups)));
  const found = late.flatMap(({ node, target, lookups: ways }) => {
    const to = ways.map((lookup) => targets.get(lookupKey(lookup))).find((each) => each !== undefined);
    return to === undefined ? [] : [{ node, target, to }];
  });
  const pages = found.filter(({ to }) => to.kind === 'page').map(({ to }) => to.id);
  const isOpen = shown?.hasConditions !== true || pages.length === 0;
  const known = isOpen ? shown : shown.extend(toNodes(await readRows(db, findAncestors(lineage, selectIds(pages)))));
  const told = found.filter(({ to }) => known === undefined || isForVisitor(to, known));
  const linked = [...Map.groupBy(told, ({ node }) => node)].map(([node, links]) => {
    const added = Object.fromEntries(links.map(({ target, to }) => [target, to.id]));
    return [node.id, { ...node, links: { ...node.links, ...added } }] as const;
  });
  return { linkedNodes: new Map(linked), shown: known };
}

function lateTargets({ node, targets: named }: Naming, origin: Pick<LateReading, 'space' | 'urls'>): LateTarget[] {
  const targets = new Set(named.map(withoutAnchor));
  return [...targets].flatMap((target) => {
    if (keptLink(node, target) !== undefined) return [];
    const read = readTarget(target, { ...origin, node });
    return read.kind === 'node' && read.lookups.length > 0 ? [{ node, target, lookups: read.lookups }] : [];
  });
}

/**
 * Reusable contents, and pages that others are made of, are told to members alone. Where pages have conditions, a file is
 * there for visitors by what is kept of the texts that use it.
 */
const isForVisitor = (node: Node, shown: ShownPages): boolean =>
  node.kind === 'file'
    ? !shown.hasConditions
    : node.kind === 'page' && getPageFields(node).type !== 'computed' && shown.has(node.id);
