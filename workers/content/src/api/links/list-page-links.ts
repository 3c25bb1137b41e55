import { runBatch } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { Handler } from '@octavo/runtime';
import type { content, LinkStatus, PageQuery, Served } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { checkAnchors } from '../../engine/links/check-anchors.ts';
import type { CollectedLink } from '../../engine/links/collect-links.ts';
import { collectLinks, statsOf, withStatus } from '../../engine/links/collect-links.ts';
import type { Targets } from '../../engine/links/find-targets.ts';
import { readTargets, targetReads } from '../../engine/links/find-targets.ts';
import type { LinksReading } from '../../engine/links/links-reading.ts';
import { linkRow, linksReading } from '../../engine/links/links-reading.ts';
import { lookupKey } from '../../engine/links/lookup.ts';
import type { PlacedLink, ResolvedLink } from '../../engine/links/resolve-link.ts';
import { lookupsOf, placedLinks, resolveLink } from '../../engine/links/resolve-link.ts';
import { otherSpacesOf, readOtherSpaces, readSurroundings, surroundingsOf } from '../../engine/links/surroundings.ts';
import { baseLineageOf, findAncestors, lineageCte, selectIds, stateAt } from '../../engine/nodes/find-nodes.ts';
import { nodesOf } from '../../engine/nodes/stored-node.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { pageOf, presentLink } from './present-links.ts';

/**
 * The links of a page at a point, each target once: the page with its links, then what they lead to, then what is
 * above that. Rows read follow the page. `base` is the lineage that a change request stands on.
 */
export const listPageLinks: Handler<Served<typeof content, 'listPageLinks'>, ContentEnvironment> = async (
  { params: { pageId: id }, query },
  context,
) => {
  const { status }: PageQuery & { status?: LinkStatus | undefined } = query;
  const { env, db, space, point, urls, changeRequest } = context;
  const reading = linksReading(context);
  const base = changeRequest && baseLineageOf(changeRequest.id);
  const lineage = JSON.stringify(point.lineage);
  const { around, chain, linkRows } = await runBatch(db, {
    around: readSurroundings(reading, point.id),
    chain: findAncestors(lineage, sql`SELECT ${id}`),
    linkRows: linksOfPage(lineage, id),
  });
  const [page] = nodesOf(chain.sort((one, other) => one.level - other.level));
  if (page === undefined) throw notFound('page');
  const placed = placedLinks({ space: space.id, urls, node: page }, linkRows);
  const links = await resolveAll(page, placed, { db, point, base });
  const listed = pageOf(withStatus(links, status), query);
  const { above, others } = await readAbove(listed.items, { reading, lineage });
  const surroundings = surroundingsOf(around[0], reading);
  const known = new Map([...nodesOf(chain), ...above].map((node) => [node.id, node]));
  const references = {
    env,
    to: { urls, base: `/spaces/${space.id}`, metadata: true },
    around: surroundings,
    context: reading.context ?? { type: 'revision' as const, revision: surroundings.revision },
    others,
    parentOf: ({ parent }: Node) => known.get(parent),
  };
  const items = await Promise.all(listed.items.map((link) => presentLink(link, references)));
  return { ...listed, items, stats: statsOf(links, base !== undefined) };
};

const linksOfPage = (lineage: string, id: string) =>
  linkRow.query(sql`
    WITH ${lineageCte(lineage)}, wanted(id) AS MATERIALIZED (SELECT ${id})
    SELECT ${linkRow} FROM (
      SELECT v.document FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)}
      ORDER BY l.depth LIMIT 1) p
    CROSS JOIN document_links d ON d.hash = p.document ORDER BY d.ordinal`);

/** What the links lead to, here and at the base: one round trip, and one more where some have anchors. */
async function resolveAll(
  page: Node,
  placed: PlacedLink[],
  { db, point, base }: Pick<LinksReading, 'db' | 'point'> & { base: SQL | undefined },
): Promise<CollectedLink[]> {
  const lookups = placed.flatMap((link) => lookupsOf(link, page));
  const here = targetReads(JSON.stringify(point.lineage), lookups);
  const there = base === undefined ? [] : targetReads(base, lookups);
  const found = await runBatch(db, { here, there });
  const [targets, baseTargets] = [readTargets(found.here), readTargets(found.there)];
  const resolvedIn = (known: Targets) =>
    placed.map((link) => resolveLink(link, page, (lookup) => known.get(lookupKey(lookup))));
  const checked = await checkAnchors(db, [
    ...resolvedIn(targets),
    ...(base === undefined ? [] : resolvedIn(baseTargets)),
  ]);
  return collectLinks(
    placed.map((link, index) => ({
      place: page,
      link,
      resolved: checked[index] as ResolvedLink,
      isBrokenAtBase: checked[index + placed.length]?.status === 'broken',
    })),
  );
}

/** The pages above those that items lead to, and the other spaces, in one round trip. */
async function readAbove(
  links: CollectedLink[],
  { reading: { db, space, actor, urls }, lineage }: { reading: LinksReading; lineage: string },
) {
  const pages = links.flatMap(({ resolved: { node } }) =>
    node?.kind === 'page' && node.parent !== '' ? [node.parent] : [],
  );
  const named = links.flatMap(({ resolved }) => resolved.space ?? []).filter((id) => id !== space.id);
  if (pages.length + named.length === 0) return { above: [], others: new Map() };
  const { above, others } = await runBatch(db, {
    above: findAncestors(lineage, selectIds(new Set(pages))),
    others: readOtherSpaces([...new Set(named)], actor),
  });
  return { above: nodesOf(above), others: otherSpacesOf(others, { actor, urls }) };
}
