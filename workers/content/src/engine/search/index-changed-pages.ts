import type { Database, RecordOf, Statement } from '@octavo/db';
import { documents, given, jsonChunks, maybe, readRows, selection } from '@octavo/db';
import type { Section } from '@octavo/markdown';
import { endOfPiece, sectionsOf } from '@octavo/markdown';
import type { SpaceId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { lineageCte, lineageOfBranch, nodeRow, selectIds, stateAt } from '../nodes/find-nodes.ts';
import { pageFields, toNode } from '../nodes/stored-node.ts';
import { separateCharacters } from './words.ts';

/** A page with its text, at the space's head. */
const pageRow = selection({ ...nodeRow.fields, markdown: maybe(documents.markdown), head: given(Number) });
type PageRow = RecordOf<typeof pageRow>;

const maxSections = 1000;
/** How much text one section of the index holds: its words are found together, and it is what a search reads of it. */
export const maxPieceLength = 3000;
const maxHeadingLength = 500;

/**
 * What brings the search index of these pages to their state at the space's head: sections that say what they said stay
 * as they are. It may run twice, late or out of order: what was indexed from a newer state is left alone, and of a space
 * that is being purged nothing is. Of a page that the head knows nothing of, nothing stays.
 */
export async function indexChangedPages(db: Database, space: SpaceId, pages: string[]): Promise<Statement[]> {
  const states = pageRow.query(sql`
    WITH ${lineageCte(lineageOfBranch(space))}, wanted(id) AS MATERIALIZED (${selectIds(pages)})
    SELECT p.*, d.markdown, (SELECT seq FROM lineage WHERE depth = 0) AS head FROM (
      SELECT ${nodeRow}, MIN(l.depth)
      FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)} GROUP BY v.id) p
    LEFT JOIN documents d ON d.hash = p.document`);
  const rows = await readRows(db, states);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = pages.filter((page) => !known.has(page));
  return [...indexPages(db, space, rows), ...(unknown.length > 0 ? forget(db, space, unknown) : [])];
}

function forget(db: Database, space: SpaceId, pages: string[]): Statement[] {
  const of = sql`space = ${space} AND page IN (${selectIds(pages)})`;
  return [db.run(sql`DELETE FROM search_sections WHERE ${of}`), db.run(sql`DELETE FROM search_pages WHERE ${of}`)];
}

/** The statements that index pages at one head. A section is known by its page and its place there, and keeps its id. */
function indexPages(db: Database, space: SpaceId, pages: PageRow[]): Statement[] {
  const [first] = pages;
  if (first === undefined) return [];
  const { head: seq } = first;
  const found = pages.map((row) => ({ page: row.id, sections: sectionRows(row) }));
  const lengths = JSON.stringify(found.map(({ page, sections }) => [page, sections.length]));
  /** Pages of `json_each`, each the first of its value, that nobody has indexed at a newer head. */
  const newest = sql`CROSS JOIN search_pages p ON p.space = ${space} AND p.page = value->>0 AND p.seq = ${seq}`;
  const stored = sql`x.space = ${space} AND x.page = p.page`;
  return [
    db.run(sql`INSERT INTO search_pages (space, page, seq) SELECT ${space}, value->>0, ${seq} FROM json_each(${lengths})
      WHERE EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND purging_at IS NULL)
      ON CONFLICT (space, page) DO UPDATE SET seq = excluded.seq WHERE excluded.seq > search_pages.seq`),
    db.run(sql`DELETE FROM search_sections WHERE id IN (
      SELECT x.id FROM json_each(${lengths}) ${newest} CROSS JOIN search_sections x ON ${stored}
      WHERE x.ordinal >= value->>1 OR NOT ${isInOrder})`),
    ...jsonChunks(found.flatMap(({ sections }) => sections)).map((json) =>
      db.run(sql`INSERT INTO search_sections (id, space, organization, page, ordinal, anchor, title, heading, body)
        SELECT COALESCE(x.id, value->>2 + EXISTS (SELECT 1 FROM search_sections y WHERE y.id = value->>2)), ${space},
          COALESCE((SELECT organization FROM spaces WHERE id = ${space}), ''), p.page,
          value->>1, value->>3, value->>4, value->>5, value->>6
        FROM json_each(${json}) ${newest} LEFT JOIN search_sections x ON ${stored} AND x.ordinal = value->>1
        WHERE x.id IS NULL OR x.anchor <> value->>3 OR x.title <> value->>4 OR x.heading <> value->>5 OR x.body <> value->>6
        ON CONFLICT (id) DO UPDATE SET anchor = CASE WHEN page = excluded.page THEN excluded.anchor END,
          title = excluded.title, heading = excluded.heading, body = excluded.body`),
    ),
  ];
}

type SectionRow = [
  page: string,
  ordinal: number,
  id: number,
  anchor: string,
  title: string,
  heading: string,
  body: string,
];

/**
 * The rows of a page's sections. The page's title stands in the first only, so that it does not count for every one;
 * a long text goes into several rows, for a row of the database has its limit.
 */
function sectionRows(row: PageRow): SectionRow[] {
  const node = toNode(row);
  if (node === undefined || pageFields(node).type !== 'document') return [];
  const title = separateCharacters(pageFields(node).title);
  const found = bounded(sectionsOf(row.markdown ?? ''));
  const sections = found.length > 0 ? found : [{ anchor: '', title: '', text: '' }];
  const pieces = sections.flatMap(({ anchor, title: whole, text: body }) => {
    const [heading = '', ...beyond] = piecesOf(separateCharacters(whole), maxHeadingLength);
    const pieces = piecesOf([...beyond, separateCharacters(body)].join(' '), maxPieceLength);
    return pieces.map((piece, index) => ({ anchor, heading: index === 0 ? heading : '', piece }));
  });
  return pieces.map(({ anchor, heading, piece }, index) => [
    row.id,
    index,
    idOf(index),
    anchor,
    index === 0 ? title : '',
    heading,
    piece,
  ]);
}

/**
 * A search reads the index in the order of the ids, and ends soon: the first sections of all pages come before the second,
 * so that no long page hides the others, and mixed, so that no space does. An id that is taken becomes the next one; where
 * another page has that too, the write fails, and its job is done again.
 */
const idOf = (ordinal: number): number => ordinal * 2 ** 32 + (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0);

/** Whether the id of `search_sections x` is one that `idOf` gave it, as before 0019 none was. */
const isInOrder = sql`(x.id >> 32 = x.ordinal)`;

function piecesOf(body: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = body;
  do {
    const end = endOfPiece(rest, limit);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  } while (rest !== '');
  return pieces;
}

/** The words beyond the most sections of a page count for the last of them: a page of headings alone stays cheap. */
function bounded(sections: Section[]): Section[] {
  const [last, ...beyond] = sections.slice(maxSections - 1);
  if (last === undefined || beyond.length === 0) return sections;
  const rest = beyond.map(({ title, text }) => `${title} ${text}`).join(' ');
  return [...sections.slice(0, maxSections - 1), { ...last, text: `${last.text} ${rest}` }];
}
