import type { Database, RevisionPoint } from '@octavo/db';
import { readRows, runBatch } from '@octavo/db';
import { getLinksInSteps, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { getRecordedLink } from '@octavo/merge';
import { runInSlices, type Steps, type Urls } from '@octavo/runtime';
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
  /** The loaded pages that a visitor may see; undefined for members. */
  shownPages: ShownPages | undefined;
}

/** Nodes with targets created later, and the visible pages extended by those targets. */
interface LateLinks {
  linkedNodes: LinkedNodes;
  shownPages: ShownPages | undefined;
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
  readonly #result: { targets?: string[] };

  constructor({ node, markdown }: Pick<LinkingText, 'node' | 'markdown'>, result: { targets?: string[] } = {}) {
    this.node = node;
    this.markdown = markdown;
    this.#result = result;
  }

  *findTargets(): Steps<string[]> {
    this.#result.targets ??= (yield* getLinksInSteps(this.markdown)).map(({ target }) => target);
    return this.#result.targets;
  }

  /** Returns the same text for a node with more known links. */
  withNode = (node: Node): LinkingText => new LinkingText({ node, markdown: this.markdown }, this.#result);
}

const mayHaveAnchor = /[^\s#(]#[^\s#]/;

/** Returns the pages to whose anchors texts link. */
export function* findAnchoredPages(texts: LinkingText[]): Steps<Set<string>> {
  const pages = new Set<string>();
  for (const text of texts) {
    const { node, markdown } = text;
    if (node.links === undefined || !mayHaveAnchor.test(markdown)) continue;
    for (const target of yield* text.findTargets()) {
      const id = target.includes('#') ? getRecordedLink(node, withoutAnchor(target)) : undefined;
      if (id !== undefined && !/^(?:file|rc)_/.test(id)) pages.add(id);
      yield;
    }
  }
  return pages;
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
  naming: (LinkingText | TargetList)[],
  { db, point, shownPages, ...origin }: LateReading,
): Promise<LateLinks> {
  const lateTargets = await runInSlices(findLateTargets(naming, origin));
  if (lateTargets.length === 0) return { linkedNodes: new Map(), shownPages };
  const lineage = JSON.stringify(point.lineage);
  const lookups = lateTargets.flatMap((each) => each.lookups).slice(0, maxLookups);
  const targets = readTargets(await runBatch(db, createTargetQueries(lineage, lookups)));
  const visibleTargets = lateTargets.flatMap(({ node, target, lookups: targetLookups }) => {
    const to = targetLookups.map((lookup) => targets.get(toLookupKey(lookup))).find((node) => node !== undefined);
    return to === undefined ? [] : [{ node, target, to }];
  });
  const pages = visibleTargets.filter(({ to }) => to.kind === 'page').map(({ to }) => to.id);
  const isOpen = shownPages?.hasConditions !== true || pages.length === 0;
  const knownPages = isOpen
    ? shownPages
    : shownPages.extend(toNodes(await readRows(db, findAncestors(lineage, selectIds(pages)))));
  const visible = visibleTargets.filter(({ to }) => knownPages === undefined || isForVisitor(to, knownPages));
  const linkedTexts = [...Map.groupBy(visible, ({ node }) => node)].map(([node, links]) => {
    const added = Object.fromEntries(links.map(({ target, to }) => [target, to.id]));
    return [node.id, { ...node, links: { ...node.links, ...added } }] as const;
  });
  return { linkedNodes: new Map(linkedTexts), shownPages: knownPages };
}

function* findLateTargets(
  naming: (LinkingText | TargetList)[],
  origin: Pick<LateReading, 'space' | 'urls'>,
): Steps<LateTarget[]> {
  const nodes = new Set<string>();
  const lateTargets: LateTarget[] = [];
  for (const each of naming) {
    yield;
    const { node } = each;
    if (nodes.has(node.id)) continue;
    nodes.add(node.id);
    const targets = 'targets' in each ? each.targets : yield* each.findTargets();
    for (const target of new Set(targets.map(withoutAnchor))) {
      if (getRecordedLink(node, target) !== undefined) continue;
      const parsed = readTarget(target, { ...origin, node });
      yield;
      if (parsed.kind === 'node' && parsed.lookups.length > 0)
        lateTargets.push({ node, target, lookups: parsed.lookups });
    }
  }
  return lateTargets;
}

/**
 * Reusable contents and computed pages are for members only. If pages have conditions, visitors see a file only through
 * stored links of visible texts.
 */
const isForVisitor = (node: Node, shownPages: ShownPages): boolean =>
  node.kind === 'file'
    ? !shownPages.hasConditions
    : node.kind === 'page' && getPageFields(node).type !== 'computed' && shownPages.has(node.id);
