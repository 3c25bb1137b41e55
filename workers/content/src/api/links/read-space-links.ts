import { runBatch } from '@octavo/db';
import type { Node } from '@octavo/merge';
import { nodeKey } from '@octavo/merge';
import type {
  ContentReference,
  LinkItem,
  LinkStats,
  LinkStatus,
  List,
  PageQuery,
  VersionContext,
} from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { checkAnchors } from '../../engine/links/check-anchors.ts';
import type { CollectedLink } from '../../engine/links/collect-links.ts';
import { collectLinks, statsOf, withStatus } from '../../engine/links/collect-links.ts';
import type { LinksReading } from '../../engine/links/links-reading.ts';
import { linkRow, otherSpaces } from '../../engine/links/links-reading.ts';
import { NodeIndex } from '../../engine/links/lookup.ts';
import type { PlacedLink } from '../../engine/links/resolve-link.ts';
import { placedLinks, resolveLink } from '../../engine/links/resolve-link.ts';
import { readSurroundings, surroundingsOf } from '../../engine/links/surroundings.ts';
import { findAllNodes, lineageCte } from '../../engine/nodes/find-nodes.ts';
import { nodesOf } from '../../engine/nodes/stored-node.ts';
import type { References } from './present-links.ts';
import { pageOf, presentLink, presentReference } from './present-links.ts';

/** Of a space with more links in its documents the first, in the order of the documents' hashes, are listed. */
const maxLinks = 100_000;

/**
 * All links at a revision, each target once: two round trips, one more where links have anchors; rows as many as the
 * space has nodes and links.
 */
export async function readSpaceLinks(
  reading: LinksReading,
  { status, ...query }: PageQuery & { status?: LinkStatus | undefined },
): Promise<List<LinkItem> & { stats: LinkStats }> {
  const { links, references } = await readAll(reading);
  const page = pageOf(withStatus(links, status), query);
  const others = await otherSpaces(reading, page.items);
  const items = await Promise.all(page.items.map((link) => presentLink(link, { ...references, others })));
  return { ...page, items, stats: statsOf(links, false) };
}

/**
 * The places that link to a file at a revision. What a link means follows from its text where it meant nothing when it
 * was written, so all links are read, as for the listing of a space.
 */
export async function readFileBacklinks(
  file: string,
  reading: LinksReading,
  query: PageQuery,
): Promise<List<ContentReference>> {
  const { links, references, index } = await readAll(reading);
  if (index.find({ by: 'id', kind: 'file', id: file }) === undefined) throw notFound('file');
  const toFile = links.filter(({ resolved }) => resolved.node?.id === file);
  const places = new Set(toFile.flatMap((link) => link.places));
  return pageOfPlaces([...places], references, query);
}

/** All places at a revision that link to what a listed link leads to. */
export async function readLinkLocations(
  id: string,
  reading: LinksReading,
  query: PageQuery,
): Promise<List<ContentReference>> {
  const { links, references } = await readAll(reading);
  const link = links.find((each) => each.id === id);
  if (link === undefined) throw notFound('link');
  return pageOfPlaces(link.places, references, query);
}

async function pageOfPlaces(places: Node[], references: References, query: PageQuery): Promise<List<ContentReference>> {
  const page = pageOf(
    places.map((place) => ({ places: [place] })),
    query,
  );
  const items = await Promise.all(
    page.items.flatMap((item) => item.places.map((place) => presentReference(place, references))),
  );
  return { ...page, items };
}

async function readAll(reading: LinksReading): Promise<{
  links: CollectedLink[];
  references: References;
  index: NodeIndex;
}> {
  const { db, env, space, point, urls } = reading;
  const lineage = JSON.stringify(point.lineage);
  const { around, pages, files, contents, linkRows } = await runBatch(db, {
    around: readSurroundings(reading, point.id),
    pages: findAllNodes(lineage, 'page'),
    files: findAllNodes(lineage, 'file'),
    contents: findAllNodes(lineage, 'reusable-content'),
    linkRows: allLinks(lineage),
  });
  const nodes = nodesOf([pages, files, contents].flat());
  const index = new NodeIndex(nodes, true);
  const byKey = new Map(nodes.map((node) => [nodeKey(node), node]));
  const byDocument = Map.groupBy(linkRows, ({ hash }) => hash);
  const ofNode = (node: Node): PlacedLink[] =>
    placedLinks({ space: space.id, urls, node }, byDocument.get(node.document ?? '') ?? []);
  const placed = inOrder(nodes).flatMap((place) => ofNode(place).map((link) => ({ place, link })));
  const resolved = placed.map(({ place, link }) => resolveLink(link, place, (lookup) => index.find(lookup)));
  const found = (await checkAnchors(db, resolved)).map((each, at) => ({
    ...(placed[at] as (typeof placed)[number]),
    resolved: each,
    isBrokenAtBase: false,
  }));
  const surroundings = surroundingsOf(around[0], reading);
  const revision: VersionContext = { type: 'revision', revision: surroundings.revision };
  const references: References = {
    env,
    to: { urls, base: `/spaces/${space.id}`, metadata: true },
    around: surroundings,
    context: reading.context ?? revision,
    others: new Map(),
    parentOf: ({ parent }) => byKey.get(nodeKey({ kind: 'page', id: parent })),
  };
  return { links: collectLinks(found), references, index };
}

/** Pages first, as they were made: an order that no edit of another page changes. */
const inOrder = (nodes: Node[]): Node[] =>
  nodes.filter(({ kind }) => kind !== 'file').sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));

const orderOf = ({ kind, createdAt, position, id }: Node): string =>
  [kind, String(createdAt).padStart(16, '0'), position, id].join(' ');

const allLinks = (lineage: string) =>
  linkRow.query(sql`
    WITH ${lineageCte(lineage)}, kinds(kind) AS MATERIALIZED (VALUES ('page'), ('reusable-content')),
    states(document, deleted, depth) AS MATERIALIZED (
      SELECT v.document, v.deleted, MIN(l.depth)
      FROM lineage l CROSS JOIN kinds k CROSS JOIN versions v
        ON v.branch = l.branch AND v.kind = k.kind AND v.until > l.seq AND v.since <= l.seq
      GROUP BY v.kind, v.id)
    SELECT ${linkRow}
    FROM (SELECT DISTINCT document FROM states WHERE deleted = 0 AND document IS NOT NULL) s
    CROSS JOIN document_links d ON d.hash = s.document
    ORDER BY d.hash, d.ordinal LIMIT ${maxLinks}`);
