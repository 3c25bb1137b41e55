import type { Database, RevisionPoint } from '@octavo/db';
import { readRows, runBatch } from '@octavo/db';
import { getLinks, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { getRecordedLink } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import type { ShownPages } from '../reading/visibility.ts';
import { findAncestors, selectIds } from '../store/lineage.ts';
import { getPageFields, toNodes } from '../store/nodes.ts';
import type { Lookup } from './targets.ts';
import { createTargetQueries, isId, readTarget, readTargets, toLookupKey } from './targets.ts';

/** Maximum number of targets that one read looks up. Further targets stay unresolved. */
const maxLookups = 2_000;

/** Nodes by id, whose links include targets created after their texts. */
export type LinkedNodes = ReadonlyMap<string, Node>;

interface LateReading {
  db: Database;
  point: RevisionPoint;
  space: SpaceId;
  urls: Urls;
  /** The pages that a visitor may see, as far as loaded; undefined for members. */
  shown: ShownPages | undefined;
}

/** Nodes with targets created later, and the visible pages extended by those targets. */
interface LateLinks {
  linkedNodes: LinkedNodes;
  shown: ShownPages | undefined;
}

/** A node with the addresses that it names. */
interface TargetList {
  node: Node;
  targets: string[];
}

/** A text of a node with the addresses in it, parsed once on first use. */
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

  /** Returns the same text for a node with more known links. */
  withNode = (node: Node): LinkingText => new LinkingText({ node, markdown: this.markdown }, this.#found);
}

/** Returns a page with the path of its cover. */
export function toCoverTarget(page: Node): TargetList {
  const ref = getPageFields(page).cover?.ref;
  return { node: page, targets: ref?.kind === 'file' && !isId(ref.file) ? [ref.file] : [] };
}

/** Adds the files of covers that were created after their pages. One round trip, none if no cover needs it. */
export async function addLateCovers(pages: Node[], reading: LateReading): Promise<Node[]> {
  const { linkedNodes } = await readLateLinks(pages.map(toCoverTarget), reading);
  return linkedNodes.size === 0 ? pages : pages.map((page) => linkedNodes.get(page.id) ?? page);
}

/** A target in a text without a stored node. */
interface LateTarget {
  node: Node;
  target: string;
  lookups: Lookup[];
}

/**
 * Finds targets that were created after the nodes that name them. One round trip, none if every target has a stored
 * node; one more if it finds pages that a visitor may not see. Rows read are proportional to the looked-up targets.
 */
export async function readLateLinks(
  naming: TargetList[],
  { db, point, shown, ...origin }: LateReading,
): Promise<LateLinks> {
  const distinct = new Map<string, TargetList>();
  for (const each of naming) if (!distinct.has(each.node.id)) distinct.set(each.node.id, each);
  const late = [...distinct.values()].flatMap((each) => findLateTargets(each, origin));
  if (late.length === 0) return { linkedNodes: new Map(), shown };
  const lineage = JSON.stringify(point.lineage);
  const lookups = late.flatMap((each) => each.lookups).slice(0, maxLookups);
  const targets = readTargets(await runBatch(db, createTargetQueries(lineage, lookups)));
  const found = late.flatMap(({ node, target, lookups: ways }) => {
    const to = ways.map((lookup) => targets.get(toLookupKey(lookup))).find((each) => each !== undefined);
    return to === undefined ? [] : [{ node, target, to }];
  });
  const pages = found.filter(({ to }) => to.kind === 'page').map(({ to }) => to.id);
  const isOpen = shown?.hasConditions !== true || pages.length === 0;
  const known = isOpen ? shown : shown.extend(toNodes(await readRows(db, findAncestors(lineage, selectIds(pages)))));
  const visible = found.filter(({ to }) => known === undefined || isForVisitor(to, known));
  const linked = [...Map.groupBy(visible, ({ node }) => node)].map(([node, links]) => {
    const added = Object.fromEntries(links.map(({ target, to }) => [target, to.id]));
    return [node.id, { ...node, links: { ...node.links, ...added } }] as const;
  });
  return { linkedNodes: new Map(linked), shown: known };
}

function findLateTargets(
  { node, targets: named }: TargetList,
  origin: Pick<LateReading, 'space' | 'urls'>,
): LateTarget[] {
  const targets = new Set(named.map(withoutAnchor));
  return [...targets].flatMap((target) => {
    if (getRecordedLink(node, target) !== undefined) return [];
    const read = readTarget(target, { ...origin, node });
    return read.kind === 'node' && read.lookups.length > 0 ? [{ node, target, lookups: read.lookups }] : [];
  });
}

/**
 * Reusable contents and computed pages are for members only. If pages have conditions, visitors see a file only through
 * stored links of visible texts.
 */
const isForVisitor = (node: Node, shown: ShownPages): boolean =>
  node.kind === 'file'
    ? !shown.hasConditions
    : node.kind === 'page' && getPageFields(node).type !== 'computed' && shown.has(node.id);
