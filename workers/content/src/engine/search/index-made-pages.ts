import type { Database, Statement } from '@octavo/db';
import { jsonChunks, must } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import { specOf } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { readMadeParts } from '../computed/made-parts.ts';
import { madeSections } from '../computed/made-text.ts';
import type { MadePage } from '../computed/make-pages.ts';
import { lineageOfBranch, selectIds } from '../nodes/find-nodes.ts';
import { pageFields } from '../nodes/stored-node.ts';
import { pagesBeside } from './made-places.ts';
import type { PageSections } from './page-sections.ts';
import { sectionsOfPage } from './page-sections.ts';
import type { MadePlace, SoughtMade } from './read-made-place.ts';
import { readMadePlace } from './read-made-place.ts';
import { forgetSections, isKept, writeSections } from './write-sections.ts';

/** How many pages one step indexes, and takes out. */
const maxPages = 25;

interface MadeStep {
  place: string;
  after: string;
  anew: boolean;
}

export interface IndexedMade {
  statements: Statement[];
  /** The last page that was indexed, where there are more. */
  next: string | undefined;
}

/**
 * What brings some of the pages that are made under a place to what they are at the space's head and by the newest
 * versions of their specifications, if both still are as they were read. What says what it said stays as it is.
 */
export async function indexMadePages(
  db: Database,
  space: SpaceId,
  { place, after, anew }: MadeStep,
): Promise<IndexedMade> {
  const found = await readMadePlace(db, space, place);
  if (found === undefined) return { statements: [], next: undefined };
  const ids = new Set(found.wanted.map(({ page }) => page.id));
  const gone = [...found.indexed.keys()].filter((id) => !ids.has(id));
  const due = found.wanted.filter((each) => each.page.id > after && (anew || isOther(each, found)));
  const done = await readSections(db, due.slice(0, maxPages));
  const isLast = done.length === due.length && gone.length <= maxPages;
  return {
    statements: [
      ...guardsOf(db, space, found),
      ...writeSources(db, space, place, found),
      ...forget(db, space, place, gone.slice(0, maxPages)),
      ...writePages(db, space, place, [
        ...due.slice(0, done.length),
        ...found.wanted.filter((each) => isMoved(each, found)),
      ]),
      ...writeSections(db, space, done, sql``),
    ],
    next: isLast ? undefined : (done.at(-1)?.page ?? after),
  };
}

const titleOf = (page: MadePage): string => pageFields(page).title;

/** Whether the index has something else of a page, but for where it stands. */
function isOther({ page, conditions }: SoughtMade, { indexed }: MadePlace): boolean {
  const row = indexed.get(page.id);
  if (row === undefined) return true;
  return (
    row.version !== page.madeOf.version || row.title !== titleOf(page) || row.conditions !== JSON.stringify(conditions)
  );
}

/** Whether the index has a page elsewhere, and else as it is. */
const isMoved = (each: SoughtMade, found: MadePlace): boolean =>
  !isOther(each, found) && found.indexed.get(each.page.id)?.path !== each.path;

/** The slug of the specification that a computed page names. */
function slugIn(source: Node): string {
  const { computed } = pageFields(source);
  return (computed && specOf(computed)) ?? '';
}

async function readSections(db: Database, wanted: SoughtMade[]): Promise<PageSections[]> {
  const parts = await readMadeParts(
    db,
    wanted.map(({ page }) => page),
  );
  return Promise.all(
    wanted.slice(0, parts.length).map(({ page, conditions }, index) => {
      const { title, description } = pageFields(page);
      const held = parts[index];
      const sections = held === undefined ? [] : madeSections(held, description);
      return sectionsOfPage(page.id, { title, conditions, sections });
    }),
  );
}

/** The space, its content and the newest versions are those that were read: whatever changes them is indexed after it. */
function guardsOf(db: Database, space: SpaceId, { lineage, sources, rows }: MadePlace): Statement[] {
  const versions = new Map(rows.map(({ page, version }) => [page, version?.id ?? null]));
  const read = sources.flatMap((source) => {
    const version = versions.get(source.id);
    return version === undefined ? [] : [[slugIn(source), version]];
  });
  return [
    must(db, sql`${isKept(space)} AND ${lineageOfBranch(space)} = ${lineage}`),
    must(
      db,
      sql`NOT EXISTS (SELECT 1 FROM spaces o CROSS JOIN json_each(${JSON.stringify(read)}) r WHERE o.id = ${space}
        AND (SELECT s.version FROM openapi_specs s WHERE s.organization = o.organization AND s.slug = r.value->>0)
          IS NOT r.value->>1)`,
    ),
  ];
}

function writeSources(
  db: Database,
  space: SpaceId,
  place: string,
  { sources, written, wanted }: MadePlace,
): Statement[] {
  const rows = sources.map((source) => {
    const made = wanted.flatMap(({ page }) => (page.madeOf.source === source.id ? [page] : []));
    return [source.id, slugIn(source), JSON.stringify(pagesBeside(made, written))];
  });
  return [
    db.run(sql`DELETE FROM search_sources WHERE space = ${space} AND place = ${place}
      AND source NOT IN (${selectIds(sources.map(({ id }) => id))})`),
    ...jsonChunks(rows).map((json) =>
      db.run(sql`INSERT INTO search_sources (space, source, organization, place, spec, beside)
        SELECT o.id, value->>0, o.organization, ${place}, value->>1, value->>2
        FROM json_each(${json}) CROSS JOIN spaces o ON o.id = ${space} WHERE true
        ON CONFLICT (space, source) DO UPDATE SET place = excluded.place, spec = excluded.spec, beside = excluded.beside
          WHERE place <> excluded.place OR spec <> excluded.spec OR beside <> excluded.beside`),
    ),
  ];
}

const writePages = (db: Database, space: SpaceId, place: string, pages: SoughtMade[]): Statement[] =>
  jsonChunks(
    pages.map(({ page, path, conditions }) => [
      page.id,
      page.madeOf.version,
      titleOf(page),
      path,
      JSON.stringify(conditions),
    ]),
  ).map((json) =>
    db.run(sql`INSERT INTO search_made_pages (space, page, place, version, title, path, conditions)
      SELECT ${space}, value->>0, ${place}, value->>1, value->>2, value->>3, value->>4 FROM json_each(${json}) WHERE true
      ON CONFLICT (space, page) DO UPDATE SET place = excluded.place, version = excluded.version, title = excluded.title,
        path = excluded.path, conditions = excluded.conditions`),
  );

/** Takes out those that are still of the place: a page that was moved may be indexed elsewhere since it was read. */
function forget(db: Database, space: SpaceId, place: string, pages: string[]): Statement[] {
  if (pages.length === 0) return [];
  const left = sql`SELECT page FROM search_made_pages
    WHERE space = ${space} AND place = ${place} AND page IN (${selectIds(pages)})`;
  return [
    forgetSections(db, space, left),
    db.run(sql`DELETE FROM search_made_pages WHERE space = ${space} AND page IN (${left})`),
  ];
}
