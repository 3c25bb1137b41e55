import type { Database, RecordOf } from '@octavo/db';
import { fromJson, fromQuery, prepareStatement, readRows, runBatch, searchGeneratedPages, selection } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { MadePage } from '../computed/computed-pages.ts';
import { isLink, isMadePage, isSource, slugOf, withMadePages } from '../computed/computed-pages.ts';
import type { ComputedSourceRow } from '../computed/sources.ts';
import { computedCte, sourcesUnder } from '../computed/sources.ts';
import { findChildren, lineageCte, selectAncestorConditions, selectBranchLineage } from '../store/lineage.ts';
import { getPageFields, toNodes } from '../store/nodes.ts';
import { isKept, pageCondition } from './sections.ts';

const placeRow = selection({ place: fromQuery(String) });

/**
 * The places where computed pages stand that pages of `changed` have a say in: where they are such themselves, or were;
 * where they have the slug of a page that is made, or had it; or where they are made, in the index.
 */
const placesOf = prepareStatement((space: SQL<SpaceId>, changed: SQL<string>, states: SQL<string>) =>
  placeRow.query(sql`
    SELECT s.place FROM search_sources s WHERE s.space = ${space} AND (s.source IN (SELECT value FROM json_each(${changed}))
      OR EXISTS (SELECT 1 FROM json_each(s.beside) b WHERE b.value IN (SELECT value FROM json_each(${changed}))))
    UNION SELECT m.place FROM json_each(${states}) p CROSS JOIN search_made_pages m INDEXED BY search_made_pages_of_place
      ON m.space = ${space} AND m.place = p.value->>0 AND m.path = p.value->>1
    UNION SELECT m.place FROM json_each(${changed}) p CROSS JOIN search_made_pages m ON m.space = ${space} AND m.page = p.value`),
);

/** All places of a space that computed pages make pages under, or that the index has such pages under, each by a seek. */
const allPlaces = prepareStatement((space: SQL<SpaceId>) => {
  const next = (after: SQL) =>
    sql`(SELECT MIN(m.place) FROM search_made_pages m INDEXED BY search_made_pages_of_place WHERE m.space = ${space} ${after})`;
  return placeRow.query(sql`
    WITH RECURSIVE known(place) AS (
      SELECT ${next(sql``)} UNION ALL SELECT ${next(sql`AND m.place > known.place`)} FROM known WHERE place IS NOT NULL)
    SELECT place FROM known WHERE place IS NOT NULL
    UNION SELECT s.place FROM search_sources s WHERE s.space = ${space}
    UNION SELECT parent FROM (WITH ${lineageCte(selectBranchLineage(space))}, ${computedCte} SELECT parent FROM computed)`);
});

/** The places of a space where the index of made pages has to be, or is. */
export const findAllMadePlaces = async (db: Database, space: SpaceId): Promise<string[]> =>
  (await readRows(db, allPlaces(space))).map(({ place }) => place);

/** The places where the index of made pages has to follow a change of these pages, which are now as `nodes` says. */
export async function findMadePlaces(
  db: Database,
  space: SpaceId,
  changed: string[],
  nodes: Node[],
): Promise<string[]> {
  const states = nodes.map(({ parent, slug }) => [parent, slug]);
  const found = await readRows(db, placesOf(space, JSON.stringify(changed), JSON.stringify(states)));
  const own = nodes.filter(isSource).map(({ parent }) => parent);
  return [...new Set([...own, ...found.map(({ place }) => place)])];
}

/** The pages beside those that are made which have a slug that one of these would have, or a form of it. */
export function pagesBeside(made: MadePage[], written: Node[]): string[] {
  const wanted = made
    .map(({ madeOf, slug }) => ({ own: slugOf(madeOf.entry), slug }))
    .filter(({ own, slug }) => own !== slug);
  if (wanted.length === 0) return [];
  const owns = new Set(wanted.map(({ own }) => own));
  const isBeginning = beginningsOf([...owns]);
  const isForm = (slug: string) => owns.has(slug) || isBeginning(slug.replace(/-\d+$/, ''));
  return written.filter(({ slug }) => isForm(slug)).map(({ id }) => id);
}

/** Tells whether one of some words begins with a text, without looking at each. */
function beginningsOf(words: string[]): (text: string) => boolean {
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

/** A page as it is to be found. */
export interface SoughtMade {
  page: MadePage;
  /** From the place on. */
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

/** The place that computed pages stand under, at the head of their space. */
export interface MadePlace {
  lineage: string;
  /** The computed pages, and the pages beside them that somebody wrote. */
  sources: Node[];
  written: Node[];
  rows: ComputedSourceRow[];
  wanted: SoughtMade[];
  /** What the index has of this place, by the ids of the pages. */
  indexed: Map<string, RecordOf<typeof indexedRow>>;
}

const headRow = selection({ lineage: fromQuery(String), above: fromQuery(fromJson<string[]>()) });

const headAt = prepareStatement((space: SQL<SpaceId>, place: SQL<string>) =>
  headRow.query(sql`
    WITH head(lineage) AS MATERIALIZED (SELECT ${selectBranchLineage(space)}), ${lineageCte(sql`(SELECT lineage FROM head)`)}
    SELECT ${headRow.with({ lineage: sql`head.lineage`, above: selectAncestorConditions(place) })} FROM head
    WHERE head.lineage IS NOT NULL AND ${isKept(space)}`),
);

const childrenOf = prepareStatement((space: SQL<SpaceId>, place: SQL<string>) =>
  findChildren(selectBranchLineage(space), sql`SELECT ${place}`),
);

const sourcesAt = prepareStatement((space: SQL<SpaceId>, place: SQL<string>) =>
  sourcesUnder(selectBranchLineage(space), space, place),
);

const indexedAt = prepareStatement((space: SQL<SpaceId>, place: SQL<string>) =>
  indexedRow.query(sql`
    SELECT ${indexedRow} FROM search_made_pages m INDEXED BY search_made_pages_of_place
    WHERE m.space = ${space} AND m.place = ${place}`),
);

/** One round trip; undefined of a space that is gone, or being purged. */
export async function readMadePlace(db: Database, space: SpaceId, place: string): Promise<MadePlace | undefined> {
  const { head, children, rows, indexed } = await runBatch(db, {
    head: headAt(space, place),
    children: childrenOf(space, place),
    rows: sourcesAt(space, place),
    indexed: indexedAt(space, place),
  });
  const [at] = head;
  if (at === undefined) return undefined;
  const nodes = toNodes(children);
  const { sources = [], written = [] } = Object.groupBy(nodes, (node) => (isSource(node) ? 'sources' : 'written'));
  return {
    ...{ lineage: at.lineage, sources, written, rows },
    wanted: wantedOf(
      withMadePages(nodes, rows)
        .filter(isMadePage)
        .filter((page) => !isLink(page)),
      sources,
      at.above,
    ),
    indexed: new Map(indexed.map((row) => [row.page, row])),
  };
}

function wantedOf(made: MadePage[], sources: Node[], above: string[]): SoughtMade[] {
  const paths = new Map<string, string>();
  for (const { id, parent, slug } of made) {
    const inside = paths.get(parent);
    paths.set(id, inside === undefined ? slug : `${inside}/${slug}`);
  }
  const conditions = new Map(
    sources.map((source) => {
      const { condition } = getPageFields(source);
      return [source.id, [...new Set([...above, ...(condition === undefined ? [] : [condition])].map(pageCondition))]];
    }),
  );
  return made.map((page) => ({
    page,
    path: paths.get(page.id) ?? page.slug,
    conditions: conditions.get(page.madeOf.source) ?? [],
  }));
}
