import type { Database, RevisionPoint } from '@octavo/db';
import { runBatch } from '@octavo/db';
import { linksOf, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptLink } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import { pageFields } from '../nodes/stored-node.ts';
import { readTargets, targetReads } from './find-targets.ts';
import type { Lookup } from './lookup.ts';
import { lookupKey } from './lookup.ts';
import { readTarget } from './read-target.ts';

/** What one reading looks up at most; further targets stay as they are written. */
const maxLookups = 2_000;

/** Nodes by their ids, with what was not there yet when their texts were written among their links. */
export type LinkedNodes = ReadonlyMap<string, Node>;

interface LateReading {
  db: Database;
  point: RevisionPoint;
  space: SpaceId;
  urls: Urls;
  isVisited: boolean;
}

/** A target of a text for which nothing is kept. */
interface LateTarget {
  node: Node;
  target: string;
  lookups: Lookup[];
}

/**
 * The nodes of texts of which a target came after them. One round trip, and none where what each target leads to is kept;
 * rows read follow the other targets.
 */
export async function readLateLinks(
  texts: { node: Node; markdown: string }[],
  { db, point, isVisited, ...origin }: LateReading,
): Promise<LinkedNodes> {
  const distinct = new Map(texts.map((text) => [text.node.id, text]));
  const late = [...distinct.values()].flatMap((text) => lateTargets(text, origin));
  if (late.length === 0) return new Map();
  const lookups = late.flatMap((each) => each.lookups).slice(0, maxLookups);
  const targets = readTargets(await runBatch(db, targetReads(JSON.stringify(point.lineage), lookups)));
  const found = late.flatMap(({ node, target, lookups: ways }) => {
    const to = ways.map((lookup) => targets.get(lookupKey(lookup))).find((each) => each !== undefined);
    return to === undefined || (isVisited && !isForVisitors(to)) ? [] : [{ node, link: [target, to.id] as const }];
  });
  return new Map(
    [...Map.groupBy(found, ({ node }) => node)].map(([node, links]) => [
      node.id,
      { ...node, links: { ...node.links, ...Object.fromEntries(links.map(({ link }) => link)) } },
    ]),
  );
}

function lateTargets(
  { node, markdown }: { node: Node; markdown: string },
  origin: Pick<LateReading, 'space' | 'urls'>,
): LateTarget[] {
  const targets = new Set(linksOf(markdown).map(({ target }) => withoutAnchor(target)));
  return [...targets].flatMap((target) => {
    if (keptLink(node, target) !== undefined) return [];
    const read = readTarget(target, { ...origin, node });
    return read.kind === 'node' && read.lookups.length > 0 ? [{ node, target, lookups: read.lookups }] : [];
  });
}

/** Reusable contents, and pages that others are made of, are told to members alone. */
const isForVisitors = (node: Node): boolean =>
  node.kind === 'file' || (node.kind === 'page' && pageFields(node).type !== 'computed');
