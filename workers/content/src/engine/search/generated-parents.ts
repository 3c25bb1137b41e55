import type { Database, RecordOf } from '@octavo/db';
import {
  fromJson,
  fromQuery,
  prepareStatement,
  readRows,
  runBatch,
  searchGeneratedPages,
  selectBranchLineage,
  selection,
} from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { GeneratedPage } from '../computed/computed-pages.ts';
import { addGeneratedPages, isGeneratedPage, isLink, isSource } from '../computed/computed-pages.ts';
import type { ComputedSourceRow } from '../computed/sources.ts';
import { computedCte, getEntrySlug, querySourcesUnder } from '../computed/sources.ts';
import { createLineageCte, queryChildren, selectRestrictions } from '../store/lineage.ts';
import { toNodes } from '../store/nodes.ts';
import type { Restriction } from './sections.ts';
import { getRestriction, isSearchable, toPageConditions } from './sections.ts';

const placeRow = selection({ place: fromQuery(String) });

/**
 * Reads the parents of computed pages that a change of pages affects: parents of changed computed pages, parents of
 * generated pages whose slug a changed page has or had, and parents of generated pages in the index.
 */
const readAffectedParents = prepareStatement((space: SQL<SpaceId>, changed: SQL<string>, states: SQL<string>) =>
  placeRow.query(sql`
    SELECT s.place FROM search_sources s WHERE s.space = ${space} AND (s.source IN (SELECT value FROM json_each(${changed}))
      OR EXISTS (SELECT 1 FROM json_each(s.beside) b WHERE b.value IN (SELECT value FROM json_each(${changed}))))
    UNION SELECT m.place FROM json_each(${states}) p CROSS JOIN search_made_pages m INDEXED BY search_made_pages_of_place
      ON m.space = ${space} AND m.place = p.value->>0 AND m.path = p.value->>1
    UNION SELECT m.place FROM json_each(${changed}) p CROSS JOIN search_made_pages m ON m.space = ${space} AND m.page = p.value`),
);

/** Reads all parents of computed pages, and of generated pages in the index, with one seek for each parent. */
const readAllParents = prepareStatement((space: SQL<SpaceId>) => {
  const selectNextParent = (after: SQL) =>
    sql`(SELECT MIN(m.place) FROM search_made_pages m INDEXED BY search_made_pages_of_place WHERE m.space = ${space} ${after})`;
  return placeRow.query(sql`
    WITH RECURSIVE known(place) AS (
      SELECT ${selectNextParent(sql``)} UNION ALL SELECT ${selectNextParent(sql`AND m.place > known.place`)} FROM known WHERE place IS NOT NULL)
    SELECT place FROM known WHERE place IS NOT NULL
    UNION SELECT s.place FROM search_sources s WHERE s.space = ${space}
    UNION SELECT parent FROM (WITH ${createLineageCte(selectBranchLineage(space))}, ${computedCte} SELECT parent FROM computed)`);
});

/** Returns all parents of a space whose generated pages are, or must be, indexed. */
export const findAllGeneratedParents = async (db: Database, space: SpaceId): Promise<string[]> =>
  (await readRows(db, readAllParents(space))).map(({ place }) => place);

/**
 * Returns the parents whose generated pages must be re-indexed after a change of pages; `nodes` are their current
 * states.
 */
export async function findGeneratedParents(
  db: Database,
  space: SpaceId,
  changed: string[],
  nodes: Node[],
): Promise<string[]> {
  const states = nodes.map(({ parent, slug }) => [parent, slug]);
  const parents = await readRows(db, readAffectedParents(space, JSON.stringify(changed), JSON.stringify(states)));
  const sourceParents = nodes.filter(isSource).map(({ parent }) => parent);
  return [...new Set([...sourceParents, ...parents.map(({ place }) => place)])];
}

/**
 * Returns the written siblings that can have changed the slug of a generated page, because they have the same slug, or
 * a shortened or numbered variant of it.
 */
export function findCollidingPages(generatedPages: GeneratedPage[], writtenNodes: Node[]): string[] {
  const generatedSlugs = generatedPages
    .map(({ origin, slug }) => ({ own: getEntrySlug(origin.entry), slug }))
    .filter(({ own, slug }) => own !== slug);
  if (generatedSlugs.length === 0) return [];
  const owns = new Set(generatedSlugs.map(({ own }) => own));
  const isBeginning = createPrefixMatcher([...owns]);
  const isForm = (slug: string) => owns.has(slug) || isBeginning(slug.replace(/-\d+$/, ''));
  return writtenNodes.filter(({ slug }) => isForm(slug)).map(({ id }) => id);
}

/** Returns a function that tests, by binary search, whether one of the words starts with a text. */
function createPrefixMatcher(words: string[]): (text: string) => boolean {
  const sorted = words.sort();
  return (text) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? '') < text) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(text) ?? false;
  };
}

/** A generated page with its path and conditions for the search index. */
export interface SearchablePage {
  page: GeneratedPage;
  /** The path relative to the parent. */
  path: string;
  conditions: string[];
}

const m = aliasedTable(searchGeneratedPages, 'm');
const indexedRow = selection({
  page: m.page,
  version: m.version,
  title: m.title,
  path: m.path,
  conditions: m.conditions,
  due: m.due,
});

/** The parent of computed pages, at the head of the space. */
export interface GeneratedParent {
  lineage: string;
  /** The computed pages, and their written siblings. */
  sources: Node[];
  writtenNodes: Node[];
  rows: ComputedSourceRow[];
  searchablePages: SearchablePage[];
  /** The index entries of the generated pages under this parent, by page id. */
  indexed: Map<string, RecordOf<typeof indexedRow>>;
}

const headRow = selection({ lineage: fromQuery(String), above: fromQuery(fromJson<Restriction[]>()) });

const readHead = prepareStatement((space: SQL<SpaceId>, parent: SQL<string>) =>
  headRow.query(sql`
    WITH head(lineage) AS MATERIALIZED (SELECT ${selectBranchLineage(space)}), ${createLineageCte(sql`(SELECT lineage FROM head)`)}
    SELECT ${headRow.with({ lineage: sql`head.lineage`, above: selectRestrictions(parent) })} FROM head
    WHERE head.lineage IS NOT NULL AND ${isSearchable(space)}`),
);

const readChildren = prepareStatement((space: SQL<SpaceId>, parent: SQL<string>) =>
  queryChildren(selectBranchLineage(space), sql`SELECT ${parent}`),
);

const readSourcesUnder = prepareStatement((space: SQL<SpaceId>, parent: SQL<string>) =>
  querySourcesUnder(selectBranchLineage(space), space, parent),
);

const readIndexedPages = prepareStatement((space: SQL<SpaceId>, parent: SQL<string>) =>
  indexedRow.query(sql`
    SELECT ${indexedRow} FROM search_made_pages m INDEXED BY search_made_pages_of_place
    WHERE m.space = ${space} AND m.place = ${parent}`),
);

/** Reads the generated pages under a parent in one round trip; undefined if the space is deleted or being purged. */
export async function readGeneratedParent(
  db: Database,
  space: SpaceId,
  parent: string,
): Promise<GeneratedParent | undefined> {
  const { head, children, rows, indexed } = await runBatch(db, {
    head: readHead(space, parent),
    children: readChildren(space, parent),
    rows: readSourcesUnder(space, parent),
    indexed: readIndexedPages(space, parent),
  });
  const [stamp] = head;
  if (stamp === undefined) return undefined;
  const nodes = toNodes(children);
  const { sources = [], written = [] } = Object.groupBy(nodes, (node) => (isSource(node) ? 'sources' : 'written'));
  return {
    ...{ lineage: stamp.lineage, sources, writtenNodes: written, rows },
    searchablePages: toSearchablePages(
      addGeneratedPages(nodes, rows)
        .filter(isGeneratedPage)
        .filter((page) => !isLink(page)),
      sources,
      stamp.above,
    ),
    indexed: new Map(indexed.map((row) => [row.page, row])),
  };
}

function toSearchablePages(generatedPages: GeneratedPage[], sources: Node[], above: Restriction[]): SearchablePage[] {
  const paths = new Map<string, string>();
  for (const { id, parent, slug } of generatedPages) {
    const inside = paths.get(parent);
    paths.set(id, inside === undefined ? slug : `${inside}/${slug}`);
  }
  const conditions = new Map(
    sources.map((source) => [source.id, toPageConditions([...above, getRestriction(source)])] as const),
  );
  return generatedPages.map((page) => ({
    page,
    path: paths.get(page.id) ?? page.slug,
    conditions: conditions.get(page.origin.source) ?? [],
  }));
}
