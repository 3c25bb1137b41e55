import type { Database, RecordOf, Statement } from '@octavo/db';
import {
  abortUnless,
  documents,
  fromJson,
  fromQuery,
  nullable,
  prepareStatement,
  readRows,
  searchGeneratedPages,
  selection,
  splitIntoJson,
  storeComputedPages,
} from '@octavo/db';
import { getSections } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import { integratedBy, specOf } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { Made } from '../computed/computed-pages.ts';
import { madeSections, readMadeParts } from '../computed/computed-pages.ts';
import { isMadeId } from '../computed/sources.ts';
import {
  lineageCte,
  nodeRow,
  selectAncestorConditions,
  selectBranchLineage,
  selectIds,
  stateAt,
} from '../store/lineage.ts';
import { getPageFields, toNode } from '../store/nodes.ts';
import type { MadePlace, SoughtMade } from './made-places.ts';
import { pagesBeside, readMadePlace } from './made-places.ts';
import type { PageSections } from './sections.ts';
import { forgetSections, isKept, pageCondition, sectionsOfPage, withoutSections, writeSections } from './sections.ts';

/** A page with its text, at the space's head, the conditions of what is above it, and those that it was indexed with. */
const pageRow = selection({
  ...nodeRow.fields,
  markdown: nullable(documents.markdown),
  head: fromQuery(Number),
  above: fromQuery((json: string) => JSON.parse(json) as string[]),
  indexed: nullable(fromQuery(String)),
});
type PageRow = RecordOf<typeof pageRow>;

interface IndexedPages {
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
    WITH ${lineageCte(selectBranchLineage(space))}, wanted(id) AS MATERIALIZED (${selectIds(pages)})
    SELECT p.*, d.markdown, (SELECT seq FROM lineage WHERE depth = 0) AS head, ${selectAncestorConditions(sql`p.parent`)} AS above,
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
      ...(unknown.length > 0 ? deletePages(db, space, unknown) : []),
    ],
    isInherited: rows.some((row) => row.indexed !== null && row.indexed !== JSON.stringify(conditionsOf(row))),
    nodes: rows.flatMap((row) => toNode(row) ?? []),
  };
}

/** What must hold for the page to be shown, of its own and of what is above it. */
const conditionsOf = (row: PageRow): string[] => {
  const node = toNode(row);
  const own = node === undefined ? undefined : getPageFields(node).condition;
  return [...new Set([...row.above, ...(own === undefined ? [] : [own])].map(pageCondition))];
};

function deletePages(db: Database, space: SpaceId, pages: string[]): Statement[] {
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
  const { type, title } = getPageFields(node);
  const conditions = conditionsOf(row);
  if (type !== 'document') return { ...withoutSections(row.id), conditions };
  return sectionsOfPage(row.id, { title, conditions, sections: getSections(row.markdown ?? '') });
}

/** Of how many pages one step notes what is to be indexed. */
const maxPlanned = 1000;

interface PlannedMade {
  statements: Statement[];
  /** Whether pages are left of which nothing is noted yet. */
  isPart: boolean;
  /** Whether some are to be indexed. */
  isDue: boolean;
}

/**
 * What notes which of the pages that are made under a place are to be indexed, and as what, so that the index says what
 * they are at the space's head and by the newest versions of their specifications, if both still are as they were read.
 * Each row of the place is read here, and not again for each part that is indexed then.
 */
export async function planMadePages(
  db: Database,
  space: SpaceId,
  { place, anew }: { place: string; anew: boolean },
): Promise<PlannedMade> {
  const found = await readMadePlace(db, space, place);
  if (found === undefined) return { statements: [], isPart: false, isDue: false };
  const ids = new Set(found.wanted.map(({ page }) => page.id));
  const gone = [...found.indexed].filter(([id, { due }]) => !ids.has(id) && due !== goes).map(([id]) => id);
  const due = found.wanted.map((each) => [each, JSON.stringify(dueOf(each))] as const);
  const others = due.filter(([each, json]) => isOther(each, json, found, anew));
  const planned = others.slice(0, maxPlanned);
  const going = gone.slice(0, maxPlanned - planned.length);
  const count = planned.length + going.length;
  return {
    statements: [
      ...planGuards(db, space, found),
      ...writeSources(db, space, place, found),
      db.run(sql`UPDATE search_made_pages SET due = ${goes}
        WHERE space = ${space} AND place = ${place} AND page IN (${selectIds(going)})`),
      ...planPages(db, space, place, planned),
    ],
    isPart: count < others.length + gone.length,
    isDue: count > 0 || [...found.indexed.values()].some((row) => row.due !== null),
  };
}

/** Whether the index neither has a page as it is, nor is to have it so. */
function isOther({ page, path, conditions }: SoughtMade, due: string, { indexed }: MadePlace, anew: boolean): boolean {
  const row = indexed.get(page.id);
  if (row === undefined || row.path !== path) return true;
  if (row.due !== null) return row.due !== due;
  const { title } = getPageFields(page);
  return (
    anew || row.version !== page.madeOf.version || row.title !== title || row.conditions !== JSON.stringify(conditions)
  );
}

/** What the pages of a computed page are made of: the slug of a specification, or the type of an integration's source. */
function madeOf(source: Node): { spec: string; integration?: { name: string; source: string } | undefined } {
  const { computed } = getPageFields(source);
  const integration = computed && integratedBy(computed);
  if (computed === undefined || integration === undefined) return { spec: (computed && specOf(computed)) ?? '' };
  return { spec: computed.type, integration: { name: integration.name, source: JSON.stringify(computed) } };
}

/** The space, its content and the newest versions are those that were read: whatever changes them is indexed after it. */
function planGuards(db: Database, space: SpaceId, { lineage, sources, rows }: MadePlace): Statement[] {
  const versions = new Map(rows.map(({ page, version }) => [page, version?.id ?? null]));
  const read = sources.flatMap((source) => {
    const version = versions.get(source.id);
    return version === undefined ? [] : [[madeOf(source).spec, version, source.id]];
  });
  return [
    abortUnless(db, sql`${isKept(space)} AND ${selectBranchLineage(space)} = ${lineage}`),
    abortUnless(
      db,
      sql`NOT EXISTS (SELECT 1 FROM spaces o CROSS JOIN json_each(${JSON.stringify(read)}) r WHERE o.id = ${space}
        AND COALESCE(
          (SELECT s.version FROM openapi_specs s WHERE s.organization = o.organization AND s.slug = r.value->>0),
          (SELECT k.version FROM computed_contents k WHERE k.space = o.id AND k.page = r.value->>2))
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
  const found = sources.map((source) => {
    const made = wanted.flatMap(({ page }) => (page.madeOf.source === source.id ? [page] : []));
    return { id: source.id, ...madeOf(source), beside: JSON.stringify(pagesBeside(made, written)) };
  });
  return storeComputedPages(db, space, place, found);
}

/** A page has its path at once, by which later changes of pages beside it are told; nothing of a new one is shown yet. */
const planPages = (
  db: Database,
  space: SpaceId,
  place: string,
  pages: (readonly [SoughtMade, string])[],
): Statement[] =>
  splitIntoJson(pages.map(([{ page, path }, due]) => [page.id, path, due])).map((json) =>
    db.run(sql`INSERT INTO search_made_pages (space, page, place, version, title, path, conditions, due)
      SELECT ${space}, value->>0, ${place}, '', '', value->>1, '[]', value->>2 FROM json_each(${json}) WHERE true
      ON CONFLICT (space, page) DO UPDATE SET place = excluded.place, path = excluded.path, due = excluded.due`),
  );

/** How many pages one step indexes, or takes out. */
const maxPages = 25;

/** What is to be indexed of a page. */
interface Due extends Made {
  title: string;
  description: string | undefined;
  conditions: string[];
}

/** What is noted of a page that is to go. */
const goes = '{}';

function dueOf({ page, conditions }: SoughtMade): Due {
  const { title, description } = getPageFields(page);
  return { madeOf: page.madeOf, title, description, conditions };
}

const m = aliasedTable(searchGeneratedPages, 'm');
const dueRow = selection({ page: m.page, json: fromQuery(String), due: fromQuery(fromJson<Due>()) });
type DueRow = RecordOf<typeof dueRow>;

const dueAt = prepareStatement((space: SQL<SpaceId>, place: SQL<string>) =>
  dueRow.query(sql`
    SELECT ${dueRow.with({ json: m.due, due: m.due })} FROM search_made_pages m INDEXED BY search_made_pages_due
    WHERE m.space = ${space} AND m.place = ${place} AND m.due IS NOT NULL
    ORDER BY m.page LIMIT ${sql.raw(String(maxPages + 1))}`),
);

interface IndexedMade {
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
      ...settleGuards(db, space, place, settled),
      ...deleteMadePages(db, space, going),
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
const settleGuards = (db: Database, space: SpaceId, place: string, rows: DueRow[]): Statement[] => [
  abortUnless(db, isKept(space)),
  ...splitIntoJson(rows.map(({ page, json }) => [page, json])).map((read) =>
    abortUnless(
      db,
      sql`NOT EXISTS (SELECT 1 FROM json_each(${read}) r WHERE NOT EXISTS (SELECT 1 FROM search_made_pages m
        WHERE m.space = ${space} AND m.page = r.value->>0 AND m.place = ${place} AND m.due = r.value->>1))`,
    ),
  ),
];

const writePages = (db: Database, space: SpaceId, place: string, pages: DueRow[]): Statement[] =>
  splitIntoJson(
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

function deleteMadePages(db: Database, space: SpaceId, going: DueRow[]): Statement[] {
  if (going.length === 0) return [];
  const pages = sql`SELECT value FROM json_each(${JSON.stringify(going.map(({ page }) => page))})`;
  return [
    forgetSections(db, space, pages),
    db.run(sql`DELETE FROM search_made_pages WHERE space = ${space} AND page IN (${pages})`),
  ];
}
