import type { Database } from '@octavo/db';
import { readRows, runBatch } from '@octavo/db';
import type { FindIncluded } from '@octavo/markdown';
import { expandIncludes, getLinksInSteps, maxIncludeDepth, removeAnchor, rewriteTargets } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { getRecordedLink } from '@octavo/merge';
import { isMarkdown } from '@octavo/outline';
import type { Steps, Urls } from '@octavo/runtime';
import { runInSlices } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import type { ShownPages } from '../reading/visibility.ts';
import type { IncludedContent } from '../store/content.ts';
import { maxBytes, maxContents, queryMissingTargets, readIncludedContents, toContent } from '../store/content.ts';
import { queryAncestors, selectIds } from '../store/lineage.ts';
import { getPageFields, toNodes } from '../store/nodes.ts';
import type { Lookup } from './targets.ts';
import { createTargetQueries, getIncludedAddresses, isId, readTarget, toLookupKey, toTargets } from './targets.ts';

/** Maximum number of targets that one read looks up. Further targets stay unresolved. */
const maxLookups = 2_000;

/** Nodes by id, with added links to targets that were created after the text or that replace deleted targets. */
export type LinkedNodes = ReadonlyMap<string, Node>;

interface LateReading {
  db: Database;
  lineage: SQL | string;
  space: SpaceId;
  urls: Urls;
  /** The loaded pages that a visitor may see; undefined for members. */
  shownPages: ShownPages | undefined;
  /** The ids of recorded link targets that no longer exist; undefined if they have not been looked up. */
  missing?: ReadonlySet<string> | undefined;
}

/**
 * Nodes with added links to targets that were created after the text, and the visible pages, extended by these targets.
 */
interface LateLinks {
  linkedNodes: LinkedNodes;
  shownPages: ShownPages | undefined;
}

/** A node with the addresses that it names. */
interface TargetList {
  node: Node;
  targets: string[];
}

/** The links of recently read texts, with the total length of these texts. */
const recentLinks = { texts: new Map<string, string[]>(), length: 0 };
const maxRecentLength = 2_000_000;

/** Returns the targets of the links in a text. Recently read texts are not parsed again. */
function* findLinkTargets(markdown: string): Steps<string[]> {
  const { texts } = recentLinks;
  const cached = texts.get(markdown);
  if (cached !== undefined) return cached;
  const targets = (yield* getLinksInSteps(markdown)).map(({ target }) => target);
  if (!texts.has(markdown)) recentLinks.length += markdown.length;
  texts.set(markdown, targets);
  for (const [oldest] of texts) {
    if (recentLinks.length <= maxRecentLength) break;
    texts.delete(oldest);
    recentLinks.length -= oldest.length;
  }
  return targets;
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
    this.#result.targets ??= [
      ...(yield* findLinkTargets(this.markdown)),
      ...getIncludedAddresses(this.node, this.markdown),
    ];
    return this.#result.targets;
  }

  /** Returns the same text for a copy of its node to which links were added. */
  withNode = (node: Node): LinkingText => new LinkingText({ node, markdown: this.markdown }, this.#result);
}

const mayHaveAnchor = /[^\s#(]#[^\s#]/;

/** Finds the pages that texts link to with an anchor. */
export function* findAnchoredPages(texts: LinkingText[]): Steps<Set<string>> {
  const pages = new Set<string>();
  for (const text of texts) {
    const { node, markdown } = text;
    if (node.links === undefined || !mayHaveAnchor.test(markdown)) continue;
    for (const target of yield* text.findTargets()) {
      const id = target.includes('#') ? getRecordedLink(node, removeAnchor(target)) : undefined;
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

/**
 * Adds the files of covers that were created after their pages. One round trip, none if no cover is a path; one more if
 * a recorded file no longer exists.
 */
export async function addLateCovers(pages: Node[], reading: LateReading): Promise<Node[]> {
  const { linkedNodes } = await readLateLinks(pages.map(toCoverTarget), reading);
  return linkedNodes.size === 0 ? pages : pages.map((page) => linkedNodes.get(page.id) ?? page);
}

/** A target that has no stored node, or whose stored node no longer exists, in a text of `node`. */
interface LateTarget {
  node: Node;
  target: string;
  lookups: Lookup[];
}

/**
 * Finds targets that were created after the nodes that name them. A recorded target that no longer exists is replaced
 * by the node that its path names now. One round trip, none if every target has a stored node; one more if it finds
 * pages that a visitor may not see, and one if it is unknown which stored nodes exist. Rows read are proportional to
 * the looked-up targets.
 */
export async function readLateLinks(naming: (LinkingText | TargetList)[], reading: LateReading): Promise<LateLinks> {
  const { db, lineage, shownPages } = reading;
  const distinct = [...new Map(naming.toReversed().map((each) => [each.node.id, each])).values()].reverse();
  const missing = await readMissingTargets(distinct, reading);
  const lateTargets = await runInSlices(findLateTargets(distinct, { ...reading, missing }));
  if (lateTargets.length === 0) return { linkedNodes: new Map(), shownPages };
  const lookups = lateTargets.flatMap((each) => each.lookups).slice(0, maxLookups);
  const targets = toTargets(await runBatch(db, createTargetQueries(lineage, lookups)));
  const visibleTargets = lateTargets.flatMap(({ node, target, lookups: targetLookups }) => {
    const to = targetLookups.map((lookup) => targets.get(toLookupKey(lookup))).find((node) => node !== undefined);
    return to === undefined ? [] : [{ node, target, to }];
  });
  const pages = visibleTargets.filter(({ to }) => to.kind === 'page').map(({ to }) => to.id);
  const isOpen = shownPages?.hasConditions !== true || pages.length === 0;
  const knownPages = isOpen
    ? shownPages
    : shownPages.extend(toNodes(await readRows(db, queryAncestors(lineage, selectIds(pages)))));
  const visible = visibleTargets.filter(({ to }) => knownPages === undefined || isForVisitor(to, knownPages));
  const linkedTexts = [...Map.groupBy(visible, ({ node }) => node)].map(([node, links]) => {
    const added = Object.fromEntries(links.map(({ target, to }) => [target, to.id]));
    return [node.id, { ...node, links: { ...node.links, ...added } }] as const;
  });
  return { linkedNodes: new Map(linkedTexts), shownPages: knownPages };
}

/** Returns the recorded link targets that no longer exist: those that are already known, and those of covers. */
async function readMissingTargets(
  naming: (LinkingText | TargetList)[],
  { db, lineage, missing }: LateReading,
): Promise<ReadonlySet<string>> {
  const ids = naming.flatMap((each) => {
    if ('targets' in each) return each.targets.flatMap((target) => getRecordedLink(each.node, target) ?? []);
    return missing === undefined ? Object.values(each.node.links ?? {}) : [];
  });
  if (ids.length === 0) return missing ?? new Set();
  const rows = await readRows(db, queryMissingTargets(lineage, selectIds(new Set(ids))));
  return new Set([...(missing ?? []), ...rows.map(({ id }) => id)]);
}

function* findLateTargets(
  naming: (LinkingText | TargetList)[],
  { missing, ...origin }: Pick<LateReading, 'space' | 'urls'> & { missing: ReadonlySet<string> },
): Steps<LateTarget[]> {
  const lateTargets: LateTarget[] = [];
  for (const each of naming) {
    yield;
    const { node } = each;
    const targets = 'targets' in each ? each.targets : yield* each.findTargets();
    for (const target of new Set(targets.map(removeAnchor))) {
      const recordedLink = getRecordedLink(node, target);
      if (recordedLink !== undefined && !missing.has(recordedLink)) continue;
      const parsed = readTarget(target, { ...origin, node });
      yield;
      if (parsed.kind === 'node' && parsed.lookups.length > 0)
        lateTargets.push({ node, target, lookups: parsed.lookups });
    }
  }
  return lateTargets;
}

/**
 * Whether a visitor may see a target. Computed pages are visible to members only. If pages have conditions, visitors
 * see a file only through stored links of visible texts. The text of a reusable content replaces its include, and
 * references to it are dropped.
 */
function isForVisitor(node: Node, shownPages: ShownPages): boolean {
  if (node.kind === 'file') return !shownPages.hasConditions;
  return node.kind !== 'page' || (getPageFields(node).type !== 'computed' && shownPages.has(node.id));
}

type Contents = ReadonlyMap<string, IncludedContent>;

interface LateTexts extends LateLinks {
  contents: Contents;
  /** The texts and the contents. Their nodes have links to the targets that were found. */
  texts: LinkingText[];
}

/**
 * Finds late targets of texts and of the contents that they include. Contents that were created later are included too,
 * at every level: up to four more round trips for each level that has some, and in all at most `maxContents` contents
 * and about `maxBytes` of text.
 */
export async function readLateTexts(
  { texts, contents, covers = [] }: { texts: LinkingText[]; contents: Contents; covers?: TargetList[] },
  reading: LateReading,
): Promise<LateTexts> {
  const { db, lineage, missing } = reading;
  let all = contents;
  let latest = [...texts, ...toTexts(contents)];
  const linkingTexts = [...latest];
  let late = await readLateLinks([...latest, ...covers], reading);
  let bytes = 0;
  for (let level = 0; level < maxIncludeDepth && bytes < maxBytes; level += 1) {
    const targets = latest.flatMap(({ node }) => Object.values(late.linkedNodes.get(node.id)?.links ?? {}));
    const ids = targets
      .filter((id) => id.startsWith('rc_') && !all.has(id) && missing?.has(id) !== true)
      .slice(0, maxContents - (all.size - contents.size));
    const included = ids.length === 0 ? [] : [...(await readIncludedContents(db, lineage, ids))];
    const added = new Map(included.filter(([id]) => !all.has(id)));
    if (added.size === 0) break;
    for (const { markdown } of added.values()) bytes += markdown.length;
    all = new Map([...all, ...added]);
    latest = toTexts(added);
    linkingTexts.push(...latest);
    const more = await readLateLinks(latest, { ...reading, shownPages: late.shownPages, missing: undefined });
    late = { linkedNodes: new Map([...late.linkedNodes, ...more.linkedNodes]), shownPages: more.shownPages };
  }
  const linkedContents = [...all].map(
    ([id, { node, markdown }]) => [id, toContent(late.linkedNodes.get(id) ?? node, markdown)] as const,
  );
  return {
    ...late,
    contents: new Map(linkedContents),
    texts: linkingTexts.map((each) => each.withNode(late.linkedNodes.get(each.node.id) ?? each.node)),
  };
}

const toTexts = (contents: Contents): LinkingText[] => [...contents.values()].map((each) => new LinkingText(each));

interface ExpandedText {
  markdown: string;
  /** The node with the targets of all addresses in its text, including the addresses from included files. */
  node: Node;
}

/**
 * Replaces the includes of other tools (`{{#include}}`, `--8<--`, imported components) with the texts of the files. An
 * import stores these files as reusable contents. Addresses in a file are relative to the file, so they are rewritten
 * to addresses with ids.
 */
export function expandText(
  { node, markdown }: ExpandedText,
  contents: ReadonlyMap<string, Pick<IncludedContent, 'node' | 'markdown'>>,
): ExpandedText {
  if (contents.size === 0) return { node, markdown };
  const links: Record<string, string> = {};
  const createIncludeFinder =
    (from: Node): FindIncluded =>
    (address) => {
      const content = contents.get(getRecordedLink(from, address) ?? '');
      const path = content?.node.fields.gitPath;
      if (content === undefined || typeof path !== 'string') return undefined;
      const text = isMarkdown(path) ? toStableTargets(content, links) : content.markdown;
      return { path, text, find: createIncludeFinder(content.node) };
    };
  const expanded = expandIncludes(markdown, createIncludeFinder(node));
  return { markdown: expanded, node: expanded === markdown ? node : { ...node, links: { ...node.links, ...links } } };
}

/** Rewrites addresses to pages and files as addresses with ids, and adds the new addresses to `links`. */
function toStableTargets(
  { node, markdown }: Pick<IncludedContent, 'node' | 'markdown'>,
  links: Record<string, string>,
): string {
  return rewriteTargets(markdown, (target) => {
    const address = removeAnchor(target);
    const id = getRecordedLink(node, address);
    if (id === undefined || id.startsWith('rc_')) return undefined;
    const stable = `/${id.startsWith('file_') ? 'files' : 'pages'}/${id}`;
    links[stable] = id;
    return stable + target.slice(address.length);
  });
}

const includeTag = /\{%-?[ \t]{0,9}include/;

/** Whether a text includes other texts. */
export const hasIncludes = ({ node, markdown }: ExpandedText): boolean =>
  includeTag.test(markdown) || getIncludedAddresses(node, markdown).length > 0;
