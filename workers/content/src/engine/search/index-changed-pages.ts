import type { Database, RecordOf, Statement } from '@octavo/db';
import { documents, given, maybe, readRows, selection } from '@octavo/db';
import { sectionsOf } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { isMadeId } from '../computed/computed-pages.ts';
import { conditionsAbove, lineageCte, lineageOfBranch, nodeRow, selectIds, stateAt } from '../store/lineage.ts';
import { pageFields, toNode } from '../store/nodes.ts';
import type { PageSections } from './page-sections.ts';
import { sectionsOfPage, withoutSections } from './page-sections.ts';
import { pageCondition } from './section-conditions.ts';
import { forgetSections, isKept, writeSections } from './write-sections.ts';

/** A page with its text, at the space's head, the conditions of what is above it, and those that it was indexed with. */
const pageRow = selection({
  ...nodeRow.fields,
  markdown: maybe(documents.markdown),
  head: given(Number),
  above: given((json: string) => JSON.parse(json) as string[]),
  indexed: maybe(given(String)),
});
type PageRow = RecordOf<typeof pageRow>;

export interface IndexedPages {
  statements: Statement[];
  /** Whether what is below one of the pages has to be indexed anew: others are shown it than before. */
  isInherited: boolean;
  /** The pages as they are at the head. */
  nodes: Node[];
}

/**
 * What brings the search index of these pages to their state at the space's head: sections that say what they said stay
 * as they are. It may run twice, late or out of order: what was indexed from a newer state is left alone, and of a space
 * that is being purged nothing is. Of a page that the head knows nothing of, nothing stays.
 */
export async function indexChangedPages(db: Database, space: SpaceId, pages: string[]): Promise<IndexedPages> {
  if (pages.length === 0) return { statements: [], isInherited: false, nodes: [] };
  const states = pageRow.query(sql`
    WITH ${lineageCte(lineageOfBranch(space))}, wanted(id) AS MATERIALIZED (${selectIds(pages)})
    SELECT p.*, d.markdown, (SELECT seq FROM lineage WHERE depth = 0) AS head, ${conditionsAbove(sql`p.parent`)} AS above,
      (SELECT i.conditions FROM search_pages i WHERE i.space = ${space} AND i.page = p.id) AS indexed FROM (
      SELECT ${nodeRow}, MIN(l.depth)
      FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)} GROUP BY v.id) p
    LEFT JOIN documents d ON d.hash = p.document`);
  const rows = await readRows(db, states);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = pages.filter((page) => !known.has(page) && !isMadeId(page));
  const found = await Promise.all(rows.map(textOf));
  return {
    statements: [
      ...indexPages(db, space, found, rows[0]?.head ?? 0),
      ...(unknown.length > 0 ? forget(db, space, unknown) : []),
    ],
    isInherited: rows.some((row) => row.indexed !== null && row.indexed !== JSON.stringify(conditionsOf(row))),
    nodes: rows.flatMap((row) => toNode(row) ?? []),
  };
}

/** What must hold for the page to be shown, of its own and of what is above it. */
const conditionsOf = (row: PageRow): string[] => {
  const node = toNode(row);
  const own = node === undefined ? undefined : pageFields(node).condition;
  return [...new Set([...row.above, ...(own === undefined ? [] : [own])].map(pageCondition))];
};

function forget(db: Database, space: SpaceId, pages: string[]): Statement[] {
  return [
    forgetSections(db, space, selectIds(pages)),
    db.run(sql`DELETE FROM search_pages WHERE space = ${space} AND page IN (${selectIds(pages)})`),
  ];
}

/** The statements that index pages at one head. */
function indexPages(db: Database, space: SpaceId, found: PageSections[], seq: number): Statement[] {
  if (found.length === 0) return [];
  const conditions = JSON.stringify(found.map((each) => [each.page, JSON.stringify(each.conditions)]));
  /** Nobody has indexed the page at a newer head. */
  const newest = sql`CROSS JOIN search_pages p ON p.space = ${space} AND p.page = value->>0 AND p.seq = ${seq}`;
  return [
    db.run(sql`INSERT INTO search_pages (space, page, seq, conditions)
      SELECT ${space}, value->>0, ${seq}, value->>1 FROM json_each(${conditions}) WHERE ${isKept(space)}
      ON CONFLICT (space, page) DO UPDATE SET seq = excluded.seq, conditions = excluded.conditions
        WHERE excluded.seq > search_pages.seq`),
    ...writeSections(db, space, found, newest),
  ];
}

async function textOf(row: PageRow): Promise<PageSections> {
  const node = toNode(row);
  if (node === undefined) return withoutSections(row.id);
  const { type, title } = pageFields(node);
  const conditions = conditionsOf(row);
  if (type !== 'document') return { ...withoutSections(row.id), conditions };
  return sectionsOfPage(row.id, { title, conditions, sections: sectionsOf(row.markdown ?? '') });
}
