import type { Database, RecordOf } from '@octavo/db';
import { given, parsed, runBatch, searchMadePages, selection, statement } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { MadePage } from '../computed/computed-pages.ts';
import { isLink, isMadePage, isSource, withMadePages } from '../computed/computed-pages.ts';
import type { ComputedSourceRow } from '../computed/sources.ts';
import { sourcesUnder } from '../computed/sources.ts';
import { conditionsAbove, findChildren, lineageCte, lineageOfBranch } from '../store/lineage.ts';
import { nodesOf, pageFields } from '../store/nodes.ts';
import { pageCondition } from './section-conditions.ts';
import { isKept } from './write-sections.ts';

/** A page as it is to be found. */
export interface SoughtMade {
  page: MadePage;
  /** From the place on. */
  path: string;
  conditions: string[];
}

const m = aliasedTable(searchMadePages, 'm');
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

const headRow = selection({ lineage: given(String), above: given(parsed<string[]>()) });

const headAt = statement((space: SQL<SpaceId>, place: SQL<string>) =>
  headRow.query(sql`
    WITH head(lineage) AS MATERIALIZED (SELECT ${lineageOfBranch(space)}), ${lineageCte(sql`(SELECT lineage FROM head)`)}
    SELECT ${headRow.with({ lineage: sql`head.lineage`, above: conditionsAbove(place) })} FROM head
    WHERE head.lineage IS NOT NULL AND ${isKept(space)}`),
);

const childrenOf = statement((space: SQL<SpaceId>, place: SQL<string>) =>
  findChildren(lineageOfBranch(space), sql`SELECT ${place}`),
);

const sourcesAt = statement((space: SQL<SpaceId>, place: SQL<string>) =>
  sourcesUnder(lineageOfBranch(space), space, place),
);

const indexedAt = statement((space: SQL<SpaceId>, place: SQL<string>) =>
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
  const nodes = nodesOf(children);
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
      const { condition } = pageFields(source);
      return [source.id, [...new Set([...above, ...(condition === undefined ? [] : [condition])].map(pageCondition))]];
    }),
  );
  return made.map((page) => ({
    page,
    path: paths.get(page.id) ?? page.slug,
    conditions: conditions.get(page.madeOf.source) ?? [],
  }));
}
