import type { Database, RecordOf, Statement } from '@octavo/db';
import {
  abortUnless,
  fromJson,
  fromQuery,
  prepareStatement,
  readRows,
  searchGeneratedPages,
  selectBranchLineage,
  selection,
  splitIntoJson,
  storeComputedPages,
} from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import { getContentSource, getSpecificationSlug } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { WithOrigin } from '../computed/computed-pages.ts';
import { buildGeneratedSections, readGeneratedContents } from '../computed/computed-pages.ts';
import { selectIds } from '../store/lineage.ts';
import { getPageFields } from '../store/nodes.ts';
import type { GeneratedParent, SearchablePage } from './generated-parents.ts';
import { findCollidingPages, readGeneratedParent } from './generated-parents.ts';
import type { IndexStep } from './index-pages.ts';
import type { PageSections } from './sections.ts';
import { createPageSections, isSearchable } from './sections.ts';
import { createPageKey } from './texts.ts';
import { openIndex, updateIndex } from './update-index.ts';

/** Maximum number of pages marked for indexing in one step. */
const maxPlanned = 1000;

interface GeneratedPlan {
  statements: Statement[];
  /** Whether more pages have to be marked. */
  isPart: boolean;
  /** Whether pages are marked for indexing. */
  isDue: boolean;
}

/**
 * Returns the statements that mark the generated pages under a parent that must be re-indexed, with their new state.
 * The statements apply only if the space's head and the newest versions of the specifications have not changed since
 * they were read. The rows of the parent are read here, once for all indexing steps.
 */
export async function planGeneratedPages(
  db: Database,
  space: SpaceId,
  { place, anew: isForced }: { place: string; anew: boolean },
): Promise<GeneratedPlan> {
  const generatedParent = await readGeneratedParent(db, space, place);
  if (generatedParent === undefined) return { statements: [], isPart: false, isDue: false };
  const ids = new Set(generatedParent.searchablePages.map(({ page }) => page.id));
  const missing = [...generatedParent.indexed]
    .filter(([id, { due }]) => !ids.has(id) && due !== removalMark)
    .map(([id]) => id);
  const duePages = generatedParent.searchablePages.map((page) => [page, JSON.stringify(toDuePage(page))] as const);
  const others = duePages.filter(([page, json]) => differsFromIndexed(page, json, generatedParent, isForced));
  const planned = others.slice(0, maxPlanned);
  const removed = missing.slice(0, maxPlanned - planned.length);
  const count = planned.length + removed.length;
  return {
    statements: [
      ...createPlanGuards(db, space, generatedParent),
      ...writeSources(db, space, place, generatedParent),
      db.run(sql`UPDATE search_made_pages SET due = ${removalMark}
        WHERE space = ${space} AND place = ${place} AND page IN (${selectIds(removed)})`),
      ...writePlannedPages(db, space, place, planned),
    ],
    isPart: count < others.length + missing.length,
    isDue: count > 0 || [...generatedParent.indexed.values()].some((row) => row.due !== null),
  };
}

/**
 * Whether the index has an outdated state of a page, and the page is not yet marked for an update to its current state.
 */
function differsFromIndexed(
  { page, path, conditions }: SearchablePage,
  duePage: string,
  { indexed }: GeneratedParent,
  isReindex: boolean,
): boolean {
  const row = indexed.get(page.id);
  if (row === undefined || row.path !== path) return true;
  if (row.due !== null) return row.due !== duePage;
  const { title } = getPageFields(page);
  return (
    isReindex ||
    row.version !== page.origin.version ||
    row.title !== title ||
    row.conditions !== JSON.stringify(conditions)
  );
}

/** Returns the source of a computed page: the slug of a specification, or the type of an integration's source. */
function getSourceSpec(source: Node): { spec: string; integration?: { name: string; source: string } | undefined } {
  const { computed } = getPageFields(source);
  const integration = computed && getContentSource(computed);
  if (computed === undefined || integration === undefined)
    return { spec: (computed && getSpecificationSlug(computed)) ?? '' };
  return { spec: computed.type, integration: { name: integration.name, source: JSON.stringify(computed) } };
}

/**
 * Creates guards that the space, its content and the newest versions have not changed since they were read. A later
 * change is indexed by its own job.
 */
function createPlanGuards(db: Database, space: SpaceId, { lineage, sources, rows }: GeneratedParent): Statement[] {
  const versions = new Map(rows.map(({ page, version }) => [page, version?.id ?? null]));
  const read = sources.flatMap((source) => {
    const version = versions.get(source.id);
    return version === undefined ? [] : [[getSourceSpec(source).spec, version, source.id]];
  });
  return [
    abortUnless(db, sql`${isSearchable(space)} AND ${selectBranchLineage(space)} = ${lineage}`),
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
  parent: string,
  { sources, writtenNodes, searchablePages }: GeneratedParent,
): Statement[] {
  const statements = sources.map((source) => {
    const generatedPages = searchablePages.flatMap(({ page }) => (page.origin.source === source.id ? [page] : []));
    return {
      id: source.id,
      ...getSourceSpec(source),
      collidingPages: JSON.stringify(findCollidingPages(generatedPages, writtenNodes)),
    };
  });
  return storeComputedPages(db, space, parent, statements);
}

/**
 * Writes the path of a page immediately, so that later changes of its siblings find it. A new page is not searchable
 * yet.
 */
const writePlannedPages = (
  db: Database,
  space: SpaceId,
  parent: string,
  pages: (readonly [SearchablePage, string])[],
): Statement[] =>
  splitIntoJson(pages.map(([{ page, path }, duePage]) => [page.id, path, duePage])).map((json) =>
    db.run(sql`INSERT INTO search_made_pages (space, page, place, version, title, path, conditions, due)
      SELECT ${space}, value->>0, ${parent}, '', '', value->>1, '[]', value->>2 FROM json_each(${json}) WHERE true
      ON CONFLICT (space, page) DO UPDATE SET place = excluded.place, path = excluded.path, due = excluded.due`),
  );

/** Maximum number of pages that one step indexes or removes. */
const maxPages = 25;

/** The new state of a page marked for indexing. */
interface DuePage extends WithOrigin {
  title: string;
  description: string | undefined;
  conditions: string[];
}

/** Marks a page for removal. */
const removalMark = '{}';

function toDuePage({ page, conditions }: SearchablePage): DuePage {
  const { title, description } = getPageFields(page);
  return { origin: page.origin, title, description, conditions };
}

const m = aliasedTable(searchGeneratedPages, 'm');
const dueRow = selection({ page: m.page, json: fromQuery(String), due: fromQuery(fromJson<DuePage>()) });
type DueRow = RecordOf<typeof dueRow>;

const readDuePages = prepareStatement((space: SQL<SpaceId>, parent: SQL<string>) =>
  dueRow.query(sql`
    SELECT ${dueRow.with({ json: m.due, due: m.due })} FROM search_made_pages m INDEXED BY search_made_pages_due
    WHERE m.space = ${space} AND m.place = ${parent} AND m.due IS NOT NULL
    ORDER BY m.page LIMIT ${sql.raw(String(maxPages + 1))}`),
);

interface GeneratedStep extends IndexStep {
  /** Whether more pages are marked. */
  isPart: boolean;
}

/**
 * Returns the statements that index the next marked pages under a parent. They change nothing if another call has
 * changed the marks. Pages with unchanged texts are indexed only if `anew` is true.
 */
export async function indexGeneratedPages(
  db: Database,
  space: SpaceId,
  { place: parent, anew: isForced }: { place: string; anew: boolean },
): Promise<GeneratedStep> {
  const index = await openIndex(db, space);
  if (index === undefined) return { statements: [], events: [], isPart: false };
  const rows = await readRows(db, readDuePages(space, parent));
  const [removed, pagesToIndex] = [true, false].map((isGoing) =>
    rows.slice(0, maxPages).filter(({ json }) => (json === removalMark) === isGoing),
  ) as [DueRow[], DueRow[]];
  const pages = await readSections(db, space, pagesToIndex);
  const indexedPages = pagesToIndex.slice(0, pages.length);
  const settled = [...removed, ...indexedPages];
  if (settled.length === 0) return { statements: [], events: [], isPart: false };
  const missing = removed.map(({ page }) => page);
  const { statements, events } = await updateIndex(db, space, index, { pages, missing, isForced });
  return {
    statements: [
      ...createUnchangedChecks(db, space, parent, settled),
      ...deleteGeneratedPages(db, space, removed),
      ...writePages(db, space, parent, indexedPages),
      ...statements,
    ],
    events,
    isPart: settled.length < rows.length,
  };
}

async function readSections(db: Database, space: SpaceId, rows: DueRow[]): Promise<PageSections[]> {
  const parts = await readGeneratedContents(
    db,
    rows.map(({ due }) => due),
  );
  const pages = rows.slice(0, parts.length).map(async ({ page, due: { title, description, conditions } }, index) => {
    const content = parts[index];
    const sections = content === undefined ? [] : buildGeneratedSections(content, description);
    const key = await createPageKey(space, page, sections);
    return createPageSections({ page, key, title, conditions, sections });
  });
  return Promise.all(pages);
}

/**
 * Creates guards that the space is not being purged, and that the marks of the pages under this parent have not
 * changed. A later change is indexed by its own job.
 */
const createUnchangedChecks = (db: Database, space: SpaceId, parent: string, rows: DueRow[]): Statement[] => [
  abortUnless(db, isSearchable(space)),
  ...splitIntoJson(rows.map(({ page, json }) => [page, json])).map((expectedRows) =>
    abortUnless(
      db,
      sql`NOT EXISTS (SELECT 1 FROM json_each(${expectedRows}) r WHERE NOT EXISTS (SELECT 1 FROM search_made_pages m
        WHERE m.space = ${space} AND m.page = r.value->>0 AND m.place = ${parent} AND m.due = r.value->>1))`,
    ),
  ),
];

const writePages = (db: Database, space: SpaceId, parent: string, pages: DueRow[]): Statement[] =>
  splitIntoJson(
    pages.map(({ page, due: { origin, title, conditions } }) => [
      page,
      origin.version,
      title,
      JSON.stringify(conditions),
    ]),
  ).map((json) =>
    db.run(sql`INSERT INTO search_made_pages (space, page, place, version, title, path, conditions)
      SELECT ${space}, value->>0, ${parent}, value->>1, value->>2, '', value->>3 FROM json_each(${json}) WHERE true
      ON CONFLICT (space, page) DO UPDATE SET version = excluded.version, title = excluded.title,
        conditions = excluded.conditions, due = NULL`),
  );

function deleteGeneratedPages(db: Database, space: SpaceId, removed: DueRow[]): Statement[] {
  if (removed.length === 0) return [];
  const pages = sql`SELECT value FROM json_each(${JSON.stringify(removed.map(({ page }) => page))})`;
  return [db.run(sql`DELETE FROM search_made_pages WHERE space = ${space} AND page IN (${pages})`)];
}
