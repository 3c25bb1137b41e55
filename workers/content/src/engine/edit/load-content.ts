import type { Database, Query } from '@octavo/db';
import { documents, given, maybe, openapiSpecs, runBatch, selection } from '@octavo/db';
import type { Node, Undecided } from '@octavo/merge';
import { nodeKey } from '@octavo/merge';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import {
  findAncestors,
  findChildren,
  findDescendants,
  findHeights,
  findNodes,
  findSlugs,
  lineageCte,
  nodeRow,
  selectIds,
  selectKeys,
  stateAt,
} from '../store/lineage.ts';
import type { NodeRow } from '../store/nodes.ts';
import { nodesOf, toNode, undecidedOf } from '../store/nodes.ts';
import type { LoadedContent } from './tree.ts';
import type { WantedContent } from './wanted-content.ts';
import type { ContentSource } from './wanted-places.ts';
import {
  goingPages,
  gonePages,
  isAny,
  orderedParents,
  placesAbove,
  revertedStates,
  shiftedPages,
  slugPlaces,
} from './wanted-places.ts';

/**
 * The statements that read what a batch of changes needs, by what each reads: together one round trip. What the changes
 * ask nothing of is not read.
 */
export function contentReads(source: ContentSource, wanted: WantedContent) {
  const { lineage } = source;
  const keys = [
    ...[...wanted.pages, ...wanted.parents].map((id) => ({ kind: 'page', id })),
    ...wanted.files.map((id) => ({ kind: 'file', id })),
    ...wanted.reusableContents.map((id) => ({ kind: 'reusable-content', id })),
    ...wanted.variables.map((id) => ({ kind: 'variable', id })),
    ...wanted.decided,
  ];
  const { reverts, moved, parents, deleted, rewritten, ordered, specs } = wanted;
  const isShifting = isAny(moved, reverts);
  return {
    nodes: isAny(keys) ? [findNodes(lineage, selectKeys(keys))] : [],
    ancestors: isShifting || isAny(parents) ? [findAncestors(lineage, placesAbove(source, wanted))] : [],
    descendants: isAny(deleted, reverts) ? [findDescendants(lineage, goingPages(source, wanted))] : [],
    slugs: isShifting || isAny(wanted.slugs, wanted.renamed) ? [findSlugs(lineage, slugPlaces(source, wanted))] : [],
    siblings: isAny(ordered.parents, ordered.pages) ? [findChildren(lineage, orderedParents(source, wanted))] : [],
    reverts: isAny(reverts) ? [readReverts(source, wanted)] : [],
    heights: isShifting
      ? [findHeights(lineage, { start: shiftedPages(source, wanted), gone: gonePages(source, wanted) })]
      : [],
    texts: isAny(rewritten) ? [findTextStarts(lineage, rewritten)] : [],
    specs: isAny(specs) ? [findSpecs(source, specs)] : [],
  };
}

/** Reads what a batch of changes needs in one round trip, with `first` in front. Gives also the rows of `first`. */
export async function loadContent<State>(
  db: Database,
  source: ContentSource,
  wanted: WantedContent,
  first: Query<State>,
) {
  const { state, ...rows } = await runBatch(db, { state: first, ...contentReads(source, wanted) });
  const { nodes, ancestors, descendants, slugs, siblings, reverts, heights, texts, specs } = rows;
  const content: LoadedContent = {
    nodes: nodesOf([...ancestors, ...nodes]),
    gone: new Map(nodes.flatMap((row): [string, Undecided][] => undecidedOfGone(row))),
    decisions: new Map(),
    descendants: nodesOf(descendants),
    slugs,
    siblings: groupByParent(nodesOf(siblings)),
    reverts: new Map(reverts.map(({ change, state: node }) => [change, node === null ? undefined : toNode(node)])),
    heights: new Map(heights.map(({ id, height }) => [id, height])),
    texts: new Map(texts.map(({ hash, markdown }) => [hash, markdown])),
    specs: new Set(specs.map(({ slug }) => slug)),
  };
  return { state: state[0], content };
}

const { since: _, ...stateFields } = nodeRow.fields;
const revertRow = selection({ change: given(Number), state: maybe(stateFields) });
const d = aliasedTable(documents, 'd');
const textRow = selection({ hash: d.hash, markdown: given(d.markdown) });

/** As much of a text is read, in characters, as its frontmatter and its first heading stand in. */
const maxStart = 128 * 1024;

/** The beginnings of the texts that pages have, by their hashes. */
const findTextStarts = (lineage: SQL, pages: string[]) =>
  textRow.query(sql`
    WITH ${lineageCte(lineage)}, wanted(id) AS MATERIALIZED (${selectIds(pages)}),
    states AS MATERIALIZED (
      SELECT v.document, MIN(l.depth) FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v
        ON ${stateAt(sql`'page'`, sql`w.id`)}
      GROUP BY v.id)
    SELECT ${textRow.with({ markdown: sql`substr(d.markdown, 1, ${maxStart})` })} FROM states s CROSS JOIN documents d ON d.hash = s.document`);

const specRow = selection({ slug: aliasedTable(openapiSpecs, 's').slug });

/** The specifications of the space's organization, of those that are named. */
const findSpecs = ({ space }: ContentSource, slugs: string[]) =>
  specRow.query(sql`
    SELECT ${specRow} FROM json_each(${JSON.stringify(slugs)}) CROSS JOIN openapi_specs s
      ON s.organization = (SELECT organization FROM spaces WHERE id = ${space}) AND s.slug = value`);

function undecidedOfGone(row: NodeRow): [string, Undecided][] {
  const undecided = row.deleted ? undecidedOf(row) : undefined;
  return undecided === undefined ? [] : [[nodeKey(row), undecided]];
}

function groupByParent(nodes: Node[]): Map<string, Node[]> {
  const groups = new Map<string, Node[]>();
  for (const node of nodes) {
    const siblings = groups.get(node.parent);
    if (siblings === undefined) groups.set(node.parent, [node]);
    else siblings.push(node);
  }
  return groups;
}

const readReverts = (source: ContentSource, wanted: WantedContent) =>
  revertRow.query(sql`SELECT ${revertRow.with({ change: sql`v.change` })} FROM (${revertedStates(source, wanted)}) v`);
