import type { Database, RecordOf, Statement } from '@octavo/db';
import { given, jsonChunks, must, parsed, readRows, searchMadePages, selection, statement } from '@octavo/db';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { Made } from '../computed/computed-pages.ts';
import { madeSections, readMadeParts } from '../computed/computed-pages.ts';
import { pageFields } from '../store/nodes.ts';
import type { PageSections } from './page-sections.ts';
import { sectionsOfPage } from './page-sections.ts';
import type { SoughtMade } from './read-made-place.ts';
import { forgetSections, isKept, writeSections } from './write-sections.ts';

/** How many pages one step indexes, or takes out. */
const maxPages = 25;

/** What is to be indexed of a page. */
interface Due extends Made {
  title: string;
  description: string | undefined;
  conditions: string[];
}

/** What is noted of a page that is to go. */
export const goes = '{}';

export function dueOf({ page, conditions }: SoughtMade): Due {
  const { title, description } = pageFields(page);
  return { madeOf: page.madeOf, title, description, conditions };
}

const m = aliasedTable(searchMadePages, 'm');
const dueRow = selection({ page: m.page, json: given(String), due: given(parsed<Due>()) });
type DueRow = RecordOf<typeof dueRow>;

const dueAt = statement((space: SQL<SpaceId>, place: SQL<string>) =>
  dueRow.query(sql`
    SELECT ${dueRow.with({ json: m.due, due: m.due })} FROM search_made_pages m INDEXED BY search_made_pages_due
    WHERE m.space = ${space} AND m.place = ${place} AND m.due IS NOT NULL
    ORDER BY m.page LIMIT ${sql.raw(String(maxPages + 1))}`),
);

export interface IndexedMade {
  statements: Statement[];
  /** Whether more are to be indexed. */
  isPart: boolean;
}

/**
 * What indexes the next pages under a place of which it is noted that they are to be, as long as that is what is noted:
 * what says what it said stays as it is.
 */
export async function indexMadePages(db: Database, space: SpaceId, place: string): Promise<IndexedMade> {
  const rows = await readRows(db, dueAt(space, place));
  const [going, wanted] = [true, false].map((isGoing) =>
    rows.slice(0, maxPages).filter(({ json }) => (json === goes) === isGoing),
  ) as [DueRow[], DueRow[]];
  const sections = await readSections(db, wanted);
  const done = wanted.slice(0, sections.length);
  const settled = [...going, ...done];
  if (settled.length === 0) return { statements: [], isPart: false };
  return {
    statements: [
      ...guardsOf(db, space, place, settled),
      ...forget(db, space, going),
      ...writePages(db, space, place, done),
      ...writeSections(db, space, sections, sql``),
    ],
    isPart: settled.length < rows.length,
  };
}

async function readSections(db: Database, wanted: DueRow[]): Promise<PageSections[]> {
  const parts = await readMadeParts(
    db,
    wanted.map(({ due }) => due),
  );
  return Promise.all(
    wanted.slice(0, parts.length).map(({ page, due: { title, description, conditions } }, index) => {
      const held = parts[index];
      const sections = held === undefined ? [] : madeSections(held, description);
      return sectionsOfPage(page, { title, conditions, sections });
    }),
  );
}

/** The space is kept, and the same is noted of the pages, in this place: what changes that is indexed after it. */
const guardsOf = (db: Database, space: SpaceId, place: string, rows: DueRow[]): Statement[] => [
  must(db, isKept(space)),
  ...jsonChunks(rows.map(({ page, json }) => [page, json])).map((read) =>
    must(
      db,
      sql`NOT EXISTS (SELECT 1 FROM json_each(${read}) r WHERE NOT EXISTS (SELECT 1 FROM search_made_pages m
        WHERE m.space = ${space} AND m.page = r.value->>0 AND m.place = ${place} AND m.due = r.value->>1))`,
    ),
  ),
];

const writePages = (db: Database, space: SpaceId, place: string, pages: DueRow[]): Statement[] =>
  jsonChunks(
    pages.map(({ page, due: { madeOf, title, conditions } }) => [
      page,
      madeOf.version,
      title,
      JSON.stringify(conditions),
    ]),
  ).map((json) =>
    db.run(sql`INSERT INTO search_made_pages (space, page, place, version, title, path, conditions)
      SELECT ${space}, value->>0, ${place}, value->>1, value->>2, '', value->>3 FROM json_each(${json}) WHERE true
      ON CONFLICT (space, page) DO UPDATE SET version = excluded.version, title = excluded.title,
        conditions = excluded.conditions, due = NULL`),
  );

function forget(db: Database, space: SpaceId, going: DueRow[]): Statement[] {
  if (going.length === 0) return [];
  const pages = sql`SELECT value FROM json_each(${JSON.stringify(going.map(({ page }) => page))})`;
  return [
    forgetSections(db, space, pages),
    db.run(sql`DELETE FROM search_made_pages WHERE space = ${space} AND page IN (${pages})`),
  ];
}
