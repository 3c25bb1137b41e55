import type { Database, RecordOf, Statement } from '@octavo/db';
import { documents, given, jsonChunks, maybe, readRows, selection } from '@octavo/db';
import type { Section } from '@octavo/markdown';
import { endOfPiece, never, sectionsOf } from '@octavo/markdown';
import type { SpaceId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { lineageCte, lineageOfBranch, nodeRow, selectIds, stateAt } from '../nodes/find-nodes.ts';
import { conditionsAbove } from '../nodes/page-state.ts';
import { pageFields, toNode } from '../nodes/stored-node.ts';
import { boundedConditions, marksOf, pageCondition, tokensOf } from './section-conditions.ts';
import { separateCharacters } from './words.ts';

/** A page with its text, at the space's head, the conditions of what is above it, and those that it was indexed with. */
const pageRow = selection({
  ...nodeRow.fields,
  markdown: maybe(documents.markdown),
  head: given(Number),
  above: given((json: string) => JSON.parse(json) as string[]),
  indexed: maybe(given(String)),
});
type PageRow = RecordOf<typeof pageRow>;

const maxSections = 1000;
/** How much text one section of the index holds: its words are found together, and it is what a search reads of it. */
export const maxPieceLength = 3000;
const maxHeadingLength = 500;

export interface IndexedPages {
  statements: Statement[];
  /** Whether what is below one of the pages has to be indexed anew: others are shown it than before. */
  isInherited: boolean;
}

/**
 * What brings the search index of these pages to their state at the space's head: sections that say what they said stay
 * as they are. It may run twice, late or out of order: what was indexed from a newer state is left alone, and of a space
 * that is being purged nothing is. Of a page that the head knows nothing of, nothing stays.
 */
export async function indexChangedPages(db: Database, space: SpaceId, pages: string[]): Promise<IndexedPages> {
  if (pages.length === 0) return { statements: [], isInherited: false };
  const states = pageRow.query(sql`
    WITH ${lineageCte(lineageOfBranch(space))}, wanted(id) AS MATERIALIZED (${selectIds(pages)})
    SELECT p.*, d.markdown, (SELECT seq FROM lineage WHERE depth = 0) AS head, ${conditionsAbove(sql`p.parent`)} AS above,
      (SELECT i.conditions FROM search_pages i WHERE i.space = ${space} AND i.page = p.id) AS indexed FROM (
      SELECT ${nodeRow}, MIN(l.depth)
      FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)} GROUP BY v.id) p
    LEFT JOIN documents d ON d.hash = p.document`);
  const rows = await readRows(db, states);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = pages.filter((page) => !known.has(page));
  const found = await Promise.all(rows.map(sectionsOfPage));
  return {
    statements: [...indexPages(db, space, found), ...(unknown.length > 0 ? forget(db, space, unknown) : [])],
    isInherited: rows.some((row) => row.indexed !== null && row.indexed !== JSON.stringify(conditionsOf(row))),
  };
}

/** What must hold for the page to be shown, of its own and of what is above it. */
const conditionsOf = (row: PageRow): string[] => {
  const node = toNode(row);
  const own = node === undefined ? undefined : pageFields(node).condition;
  return [...new Set([...row.above, ...(own === undefined ? [] : [own])].map(pageCondition))];
};

function forget(db: Database, space: SpaceId, pages: string[]): Statement[] {
  const of = sql`space = ${space} AND page IN (${selectIds(pages)})`;
  return [db.run(sql`DELETE FROM search_sections WHERE ${of}`), db.run(sql`DELETE FROM search_pages WHERE ${of}`)];
}

/** The statements that index pages at one head. A section is known by its page and its place there, and keeps its id. */
function indexPages(db: Database, space: SpaceId, found: PageSections[]): Statement[] {
  const [first] = found;
  if (first === undefined) return [];
  const { seq } = first;
  const lengths = JSON.stringify(
    found.map(({ page, sections, conditions }) => [page, sections.length, JSON.stringify(conditions)]),
  );
  const tokens = [...new Map(found.flatMap((each) => [...each.tokens]))];
  /** Pages of `json_each`, each the first of its value, that nobody has indexed at a newer head. */
  const newest = sql`CROSS JOIN search_pages p ON p.space = ${space} AND p.page = value->>0 AND p.seq = ${seq}`;
  const stored = sql`x.space = ${space} AND x.page = p.page`;
  return [
    db.run(sql`INSERT INTO search_pages (space, page, seq, conditions)
      SELECT ${space}, value->>0, ${seq}, value->>2 FROM json_each(${lengths}) WHERE ${isKept(space)}
      ON CONFLICT (space, page) DO UPDATE SET seq = excluded.seq, conditions = excluded.conditions
        WHERE excluded.seq > search_pages.seq`),
    ...jsonChunks(tokens).map((json) =>
      db.run(sql`INSERT INTO search_conditions (space, condition, token)
        SELECT ${space}, value->>0, value->>1 FROM json_each(${json}) WHERE ${isKept(space)}
        ON CONFLICT (space, condition) DO NOTHING`),
    ),
    db.run(sql`DELETE FROM search_sections WHERE id IN (
      SELECT x.id FROM json_each(${lengths}) ${newest} CROSS JOIN search_sections x ON ${stored}
      WHERE x.ordinal >= value->>1 OR NOT ${isInOrder})`),
    ...jsonChunks(found.flatMap(({ sections }) => sections)).map((json) =>
      db.run(sql`INSERT INTO search_sections (id, space, organization, page, ordinal, anchor, title, heading, body, conditions, tokens)
        SELECT COALESCE(x.id, value->>2 + EXISTS (SELECT 1 FROM search_sections y WHERE y.id = value->>2)), ${space},
          COALESCE((SELECT organization FROM spaces WHERE id = ${space}), ''), p.page,
          value->>1, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8
        FROM json_each(${json}) ${newest} LEFT JOIN search_sections x ON ${stored} AND x.ordinal = value->>1
        WHERE x.id IS NULL OR x.anchor <> value->>3 OR x.title <> value->>4 OR x.heading <> value->>5 OR x.body <> value->>6
          OR x.conditions <> value->>7
        ON CONFLICT (id) DO UPDATE SET anchor = CASE WHEN page = excluded.page THEN excluded.anchor END,
          title = excluded.title, heading = excluded.heading, body = excluded.body, conditions = excluded.conditions,
          tokens = excluded.tokens`),
    ),
  ];
}

const isKept = (space: SpaceId) => sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND purging_at IS NULL)`;

type SectionRow = [
  page: string,
  ordinal: number,
  id: number,
  anchor: string,
  title: string,
  heading: string,
  body: string,
  conditions: string,
  tokens: string,
];

/** What the index holds of a page: its sections, and what stands there for each of their conditions. */
interface PageSections {
  page: string;
  seq: number;
  conditions: string[];
  sections: SectionRow[];
  tokens: Map<string, string>;
}

/**
 * The sections of a page. The page's title stands in the first only, so that it does not count for every one, and under no
 * conditions but the page's; a long text goes into several rows, for a row of the database has its limit.
 */
async function sectionsOfPage(row: PageRow): Promise<PageSections> {
  const { id: page, head: seq } = row;
  const node = toNode(row);
  if (node === undefined) return { page, seq, conditions: [], sections: [], tokens: new Map() };
  const conditions = conditionsOf(row);
  const pieces = pageFields(node).type === 'document' ? piecesOf(row.markdown ?? '', conditions) : [];
  const tokens = await tokensOf(pieces.flatMap((piece) => piece.conditions));
  const title = separateCharacters(pageFields(node).title);
  const sections = pieces.map(({ anchor, heading, text, conditions: all }, index): SectionRow => {
    const [stored, marks] = all.length === 0 ? ['', ''] : [JSON.stringify(all), marksOf(all, tokens)];
    return [page, index, idOf(index), anchor, index === 0 ? title : '', heading, text, stored, marks];
  });
  return { page, seq, conditions, sections, tokens };
}

function piecesOf(markdown: string, ofPage: string[]) {
  const sections = bounded(sectionsOf(markdown));
  const [first] = sections;
  const isTitled = first !== undefined && first.conditions === undefined;
  const all: Section[] = isTitled ? sections : [{ anchor: '', level: 0, title: '', text: '' }, ...sections];
  const conditionsIn = boundedConditions(ofPage);
  return all.flatMap(({ anchor, title: whole, text: body, conditions }) => {
    const [heading = '', ...beyond] = cutTo(separateCharacters(whole), maxHeadingLength);
    const texts = cutTo([...beyond, separateCharacters(body)].join(' '), maxPieceLength);
    const needed = conditionsIn(conditions ?? []);
    return texts.map((text, index) => ({ anchor, heading: index === 0 ? heading : '', text, conditions: needed }));
  });
}

/**
 * A search reads the index in the order of the ids, and ends soon: the first sections of all pages come before the second,
 * so that no long page hides the others, and mixed, so that no space does. An id that is taken becomes the next one; where
 * another page has that too, the write fails, and its job is done again.
 */
const idOf = (ordinal: number): number => ordinal * 2 ** 32 + (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0);

/** Whether the id of `search_sections x` is one that `idOf` gave it, as before 0019 none was. */
const isInOrder = sql`(x.id >> 32 = x.ordinal)`;

function cutTo(body: string, limit: number): string[] {
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
  if (sections.length <= maxSections) return sections;
  const beyond = sections.slice(maxSections - 1);
  const [free, others] = [true, false].map((isFree) =>
    beyond.filter(({ conditions }) => (conditions === undefined) === isFree),
  );
  return [...sections.slice(0, maxSections - 1), ...joined(free), ...joined(others, [never])];
}

/** Sections as one. */
function joined(sections: Section[] = [], conditions?: string[]): Section[] {
  const [first, ...others] = sections;
  if (first === undefined) return [];
  const text = [first.text, ...others.map(({ title, text }) => `${title} ${text}`)].join(' ');
  return [{ ...first, text, ...(conditions && { conditions }) }];
}
