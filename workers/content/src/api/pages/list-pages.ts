import { runBatch } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { sourcesIn } from '../../engine/computed/find-computed.ts';
import { versionsOf, withMadePages } from '../../engine/computed/make-pages.ts';
import { withLateCovers } from '../../engine/links/late-links.ts';
import { allNodesIn } from '../../engine/nodes/find-nodes.ts';
import { nodesOf, pageFields } from '../../engine/nodes/stored-node.ts';
import { presentTree, readPages, root } from '../../engine/reading/present-page.ts';
import { ShownPages, scopeOfSpace } from '../../engine/reading/shown-pages.ts';
import { readForeign } from '../../engine/sites/foreign-places.ts';
import type { ContentEnvironment } from '../../environment.ts';

/**
 * The page tree at a point, whole or down to a depth, in one round trip, and one more where a cover is not yet found. A visitor's is read whole: what link pages lead
 * to may be hidden anywhere, or stand in other spaces, which takes one more.
 */
export const listPages: Handler<Served<typeof content, 'listPages'>, ContentEnvironment> = async (
  { query: { depth, metadata, computed } },
  context,
) => {
  const { db, point, space, urls, visitor, alsoFollowsFrom } = context;
  const at = { parent: '', above: root, depth };
  const to = { urls, base: `/spaces/${space.id}`, metadata };
  const lineage = JSON.stringify(point.lineage);
  const rows = await runBatch(db, {
    pages: visitor === undefined ? readPages(point, { space: space.id, depth }) : allNodesIn(lineage, 'page'),
    variables: visitor === undefined ? [] : allNodesIn(lineage, 'variable'),
    sources: computed ? sourcesIn(lineage, space.id) : [],
  });
  alsoFollowsFrom(versionsOf(rows.sources));
  const pages = computed ? withMadePages(nodesOf(rows.pages), rows.sources) : nodesOf(rows.pages);
  const reading = { db, point, urls, space: space.id };
  if (visitor === undefined)
    return { pages: presentTree(await withLateCovers(pages, { ...reading, shown: undefined }), at, to) };
  const hasConditions = pages.some((page) => Boolean(pageFields(page).condition));
  const shown = new ShownPages(scopeOfSpace(nodesOf(rows.variables), visitor.claims), pages, hasConditions);
  const told = pages.filter(({ id }) => shown.has(id));
  const foreign = await readForeign({ texts: [], pages: told }, { ...context, space: space.id, visitor });
  return { pages: presentTree(await withLateCovers(pages, { ...reading, shown }), at, { ...to, shown, foreign }) };
};
