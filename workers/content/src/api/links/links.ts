import { runBatch } from '@octavo/db';
import type { Node } from '@octavo/merge';
import { getNodeKey } from '@octavo/merge';
import { mapInSlices } from '@octavo/runtime';
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
import type { SQL } from 'drizzle-orm';
import type { CollectedLink, LinksReading, NodeLink, ResolvedLink } from '../../engine/links/document-links.ts';
import {
  checkAnchors,
  collectLinks,
  filterByStatus,
  getLookups,
  getNodeLinks,
  loadOtherSpaces,
  queryOtherSpaces,
  readReferenceContext,
  resolveLink,
  toLinkStats,
  toLinksReading,
  toOtherSpaces,
  toReferenceContext,
} from '../../engine/links/document-links.ts';
import type { Targets } from '../../engine/links/targets.ts';
import { createTargetQueries, NodeIndex, toLookupKey, toTargets } from '../../engine/links/targets.ts';
import { queryNodesOfKind, toNodesInSlices } from '../../engine/store/content.ts';
import { selectBaseLineage } from '../../engine/store/lineage.ts';
import { toNodes } from '../../engine/store/nodes.ts';
import { handler } from '../../handler.ts';
import type { References } from './presenter.ts';
import { paginateLinks, presentLink, presentReference } from './presenter.ts';
import { queryPagesWithAncestors, queryPageWithAncestors, readAllLinks, readPageLinks } from './queries.ts';

export const listSpaceLinks = handler('listSpaceLinks', ({ query }, context) =>
  readSpaceLinks(toLinksReading(context), query),
);

/**
 * Lists the links of a page at a point, by target. Reads the page with its links, then their targets, then the targets'
 * ancestors. Rows are proportional to the page. `base` is the lineage that a change request is based on.
 */
export const listPageLinks = handler('listPageLinks', async ({ params: { pageId: id }, query }, context) => {
  const { status }: PageQuery & { status?: LinkStatus | undefined } = query;
  const { env, db, space, point, urls, changeRequest } = context;
  const reading = toLinksReading(context);
  const base = changeRequest && selectBaseLineage(changeRequest.id);
  const lineage = JSON.stringify(point.lineage);
  const {
    referenceContext: around,
    chain,
    linkRows,
  } = await runBatch(db, {
    referenceContext: readReferenceContext(reading, point.id),
    chain: queryPageWithAncestors(lineage, id),
    linkRows: readPageLinks(lineage, id),
  });
  const [page] = toNodes(chain.sort((one, other) => one.level - other.level));
  if (page === undefined) throw notFound('page');
  const nodeLinks = getNodeLinks({ space: space.id, urls, node: page }, linkRows);
  const links = await resolveLinks(page, nodeLinks, { db, point, base });
  const listedLinks = paginateLinks(filterByStatus(links, status), query);
  const { above, others } = await readTargetContext(listedLinks.items, { reading, lineage });
  const referenceContext = toReferenceContext(around[0], reading);
  const nodesById = new Map([...toNodes(chain), ...above].map((node) => [node.id, node]));
  const references = {
    env,
    to: { urls, base: `/spaces/${space.id}`, metadata: true },
    referenceContext,
    context: reading.context ?? { type: 'revision' as const, revision: referenceContext.revision },
    others,
    getParent: ({ parent }: Node) => nodesById.get(parent),
  };
  const items = await Promise.all(listedLinks.items.map((link) => presentLink(link, references)));
  return { ...listedLinks, items, stats: toLinkStats(links, base !== undefined) };
});

/** Resolves links in the current state and in the base: one round trip, and one more if some links have anchors. */
async function resolveLinks(
  page: Node,
  nodeLinks: NodeLink[],
  { db, point, base }: Pick<LinksReading, 'db' | 'point'> & { base: SQL | undefined },
): Promise<CollectedLink[]> {
  const lookups = nodeLinks.flatMap((link) => getLookups(link, page));
  const here = createTargetQueries(JSON.stringify(point.lineage), lookups);
  const baseQueries = base === undefined ? [] : createTargetQueries(base, lookups);
  const foundTargets = await runBatch(db, { here, there: baseQueries });
  const [targets, baseTargets] = [toTargets(foundTargets.here), toTargets(foundTargets.there)];
  const resolveWithTargets = (targets: Targets) =>
    nodeLinks.map((link) => resolveLink(link, page, (lookup) => targets.get(toLookupKey(lookup))));
  const checked = await checkAnchors(db, [
    ...resolveWithTargets(targets),
    ...(base === undefined ? [] : resolveWithTargets(baseTargets)),
  ]);
  return collectLinks(
    nodeLinks.map((link, index) => ({
      node: page,
      link,
      resolved: checked[index] as ResolvedLink,
      isBrokenAtBase: checked[index + nodeLinks.length]?.status === 'broken',
    })),
  );
}

/** Reads the ancestors of targets, and other spaces, in one round trip. */
async function readTargetContext(
  links: CollectedLink[],
  { reading: { db, space, actor, urls }, lineage }: { reading: LinksReading; lineage: string },
) {
  const pages = links.flatMap(({ resolved: { node } }) =>
    node?.kind === 'page' && node.parent !== '' ? [node.parent] : [],
  );
  const spaceIds = links.flatMap(({ resolved }) => resolved.space ?? []).filter((id) => id !== space.id);
  if (pages.length + spaceIds.length === 0) return { above: [], others: new Map() };
  const { above, others } = await runBatch(db, {
    above: queryPagesWithAncestors(lineage, new Set(pages)),
    others: queryOtherSpaces([...new Set(spaceIds)], actor),
  });
  return { above: toNodes(above), others: toOtherSpaces(others, { actor, urls }) };
}

export const listLinkLocations = handler('listLinkLocations', ({ params, query }, context) =>
  readLinkLocations(params.linkId, toLinksReading(context), query),
);

export const listFileBacklinks = handler('listFileBacklinks', ({ params, query }, context) =>
  readFileBacklinks(params.fileId, toLinksReading(context), query),
);

/**
 * Lists all links of a revision, by target. Two round trips, one more if links have anchors; rows are proportional to
 * the nodes and links of the space.
 */
async function readSpaceLinks(
  reading: LinksReading,
  { status, ...query }: PageQuery & { status?: LinkStatus | undefined },
): Promise<List<LinkItem> & { stats: LinkStats }> {
  const { links, references } = await readLinks(reading);
  const page = paginateLinks(filterByStatus(links, status), query);
  const others = await loadOtherSpaces(reading, page.items);
  const items = await Promise.all(page.items.map((link) => presentLink(link, { ...references, others })));
  return { ...page, items, stats: toLinkStats(links, false) };
}

/**
 * Lists the nodes that link to a file at a revision. Links without a stored target are resolved by their text, so all
 * links of the space are read.
 */
async function readFileBacklinks(
  file: string,
  reading: LinksReading,
  query: PageQuery,
): Promise<List<ContentReference>> {
  const { links, references, index } = await readLinks(reading);
  if (index.find({ by: 'id', kind: 'file', id: file }) === undefined) throw notFound('file');
  const toFile = links.filter(({ resolved }) => resolved.node?.id === file);
  const locations = new Set(toFile.flatMap((link) => link.nodes));
  return presentLocations([...locations], references, query);
}

/** Lists all nodes of a revision that contain a listed link. */
async function readLinkLocations(id: string, reading: LinksReading, query: PageQuery): Promise<List<ContentReference>> {
  const { links, references } = await readLinks(reading);
  const link = links.find((link) => link.id === id);
  if (link === undefined) throw notFound('link');
  return presentLocations(link.nodes, references, query);
}

async function presentLocations(
  nodes: Node[],
  references: References,
  query: PageQuery,
): Promise<List<ContentReference>> {
  const page = paginateLinks(
    nodes.map((node) => ({ nodes: [node] })),
    query,
  );
  const items = await Promise.all(
    page.items.flatMap((item) => item.nodes.map((node) => presentReference(node, references))),
  );
  return { ...page, items };
}

async function readLinks(reading: LinksReading): Promise<{
  links: CollectedLink[];
  references: References;
  index: NodeIndex;
}> {
  const { db, env, space, point, urls } = reading;
  const lineage = JSON.stringify(point.lineage);
  const { around, pages, files, contents, linkRows } = await runBatch(db, {
    around: readReferenceContext(reading, point.id),
    pages: queryNodesOfKind(point, 'page'),
    files: queryNodesOfKind(point, 'file'),
    contents: queryNodesOfKind(point, 'reusable-content'),
    linkRows: readAllLinks(lineage),
  });
  const nodes = await toNodesInSlices([pages, files, contents].flat());
  const index = new NodeIndex(nodes, true);
  const byKey = new Map(nodes.map((node) => [getNodeKey(node), node]));
  const byDocument = Map.groupBy(linkRows, ({ hash }) => hash);
  const getLinks = (node: Node): NodeLink[] =>
    getNodeLinks({ space: space.id, urls, node }, byDocument.get(node.document ?? '') ?? []);
  const sorted = await sortByCreation(nodes);
  const linksOfNodes = await mapInSlices(
    sorted,
    (node) => getLinks(node).map((link) => ({ node, link })),
    (_, { length }) => linkMicroseconds * (1 + length),
  );
  const placed = linksOfNodes.flat();
  const resolved = await mapInSlices(placed, ({ node, link }) =>
    resolveLink(link, node, (lookup) => index.find(lookup)),
  );
  const linksWithAnchors = (await checkAnchors(db, resolved)).map((link, index) => ({
    ...(placed[index] as (typeof placed)[number]),
    resolved: link,
    isBrokenAtBase: false,
  }));
  const referenceContext = toReferenceContext(around[0], reading);
  const revision: VersionContext = { type: 'revision', revision: referenceContext.revision };
  const references: References = {
    env,
    to: { urls, base: `/spaces/${space.id}`, metadata: true },
    referenceContext,
    context: reading.context ?? revision,
    others: new Map(),
    getParent: ({ parent }) => byKey.get(getNodeKey({ kind: 'page', id: parent })),
  };
  return { links: await collectLinks(linksWithAnchors), references, index };
}

/** Estimated duration of finding a link. */
const linkMicroseconds = 4;

/** Sorts by creation time, pages first. Edits of other pages do not change this order. */
async function sortByCreation(nodes: Node[]): Promise<Node[]> {
  const keyed = await mapInSlices(nodes, (node) => ({ node, key: toSortKey(node) }));
  return keyed
    .filter(({ node }) => node.kind !== 'file')
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ node }) => node);
}

const toSortKey = ({ kind, createdAt, position, id }: Node): string =>
  [kind, String(createdAt).padStart(16, '0'), position, id].join(' ');
