import type { Database, Row, Statement } from '@octavo/db';
import { number, optionalText, runBatch, text } from '@octavo/db';
import type { Section } from '@octavo/document';
import { sectionsOf } from '@octavo/document';
import { sql } from 'drizzle-orm';
import { selectIds } from '../nodes/find-nodes.ts';
import { lineageCte, lineageOfBranch, stateAt } from '../nodes/lineage-sql.ts';
import { pageFields, toNode } from '../nodes/stored-node.ts';
import { separateCharacters } from './words.ts';

const maxSections = 1000;

/**
 * Brings the search index of these pages to their state at the space's head, in the batch that `settle` completes.
 * It may run twice, late or out of order: what was indexed from a newer state is left alone.
 */
export async function indexChangedPages(
  db: Database,
  space: string,
  { pages, settle }: { pages: string[]; settle: Statement[] },
): Promise<void> {
  const rows = await db.all<Row>(sql`
    WITH ${lineageCte(lineageOfBranch(space))}, wanted(id) AS MATERIALIZED (${selectIds(pages)})
    SELECT p.*, d.markdown FROM (
      SELECT v.kind, v.id, v.parent, v.position, v.slug, v.deleted, v.data, v.document, v.since, MIN(l.depth)
      FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)} GROUP BY v.id) p
    LEFT JOIN documents d ON d.hash = p.document`);
  await runBatch(db, [...rows.flatMap((row) => indexPage(db, space, row)), ...settle]);
}

function indexPage(db: Database, space: string, row: Row): Statement[] {
  const [page, since] = [text(row, 'id'), number(row, 'since')];
  const newest = sql`EXISTS (SELECT 1 FROM search_pages WHERE space = ${space} AND page = ${page} AND since = ${since})`;
  const sections = JSON.stringify(sectionRows(row));
  return [
    db.run(sql`INSERT INTO search_pages (space, page, since) VALUES (${space}, ${page}, ${since})
      ON CONFLICT (space, page) DO UPDATE SET since = excluded.since WHERE excluded.since > search_pages.since`),
    db.run(sql`DELETE FROM search_sections WHERE space = ${space} AND page = ${page} AND ${newest}`),
    db.run(sql`INSERT INTO search_sections (space, page, ordinal, anchor, title, heading, body)
      SELECT ${space}, ${page}, key, value->>0, value->>1, value->>2, value->>3 FROM json_each(${sections}) WHERE ${newest}`),
  ];
}

/** Anchor, page title (only once, so that it does not count for every section), heading and text of each section. */
function sectionRows(row: Row): string[][] {
  const node = toNode(row);
  if (node === undefined || pageFields(node).type !== 'document') return [];
  const title = separateCharacters(pageFields(node).title);
  const found = bounded(sectionsOf(optionalText(row, 'markdown') ?? ''));
  const sections = found.length > 0 ? found : [{ anchor: '', title: '', text: '' }];
  return sections.map(({ anchor, title: heading, text: body }, index) => [
    anchor,
    index === 0 ? title : '',
    separateCharacters(heading),
    separateCharacters(body),
  ]);
}

/** The words beyond the most sections of a page count for the last of them: a page of headings alone stays cheap. */
function bounded(sections: Section[]): Section[] {
  const [last, ...beyond] = sections.slice(maxSections - 1);
  if (last === undefined || beyond.length === 0) return sections;
  const rest = beyond.map(({ title, text }) => `${title} ${text}`).join(' ');
  return [...sections.slice(0, maxSections - 1), { ...last, text: `${last.text} ${rest}` }];
}
