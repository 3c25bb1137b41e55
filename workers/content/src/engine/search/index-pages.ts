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
import { getSectionsInSteps } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { runInSlices } from '@octavo/runtime';
import type { NewEvent, SpaceId } from '@octavo/schema';
import { getContentSource, getSpecificationSlug } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { WithOrigin } from '../computed/computed-pages.ts';
import { buildGeneratedSections, readGeneratedContents } from '../computed/computed-pages.ts';
import { isGeneratedId } from '../computed/sources.ts';
import {
  lineageCte,
  nodeRow,
  selectBranchLineage,
  selectIds,
  selectRestrictions,
  selectState,
} from '../store/lineage.ts';
import { getPageFields, toNode } from '../store/nodes.ts';
import type { GeneratedParent, SearchablePage } from './generated-parents.ts';
import { findCollidingPages, readGeneratedParent } from './generated-parents.ts';
import type { IncludedContents, Origin, ReadSections } from './page-includes.ts';
import { deleteInclusions, findInclusions, readIncludingSections, writeInclusions } from './page-includes.ts';
import type { PageSections, Restriction } from './sections.ts';
import { createEmptySections, createPageSections, getRestriction, isSearchable, toPageConditions } from './sections.ts';
import { createPageKey } from './texts.ts';
import type { PageRange } from './update-index.ts';
import { findIndexedPages, openIndex, updateIndex } from './update-index.ts';

/** A page with its text, and the restrictions of its ancestors. */
const pageRow = selection({
  ...nodeRow.fields,
  markdown: nullable(documents.markdown),
  above: fromQuery(fromJson<Restriction[]>()),
});
type PageRow = RecordOf<typeof pageRow>;

/** Returns the query for the states of pages, which are read through a lineage. Deleted pages return tombstones. */
export const findPagesToIndex = (lineage: SQL | string, pages: string[]) =>
  pageRow.query(sql`
    WITH ${lineageCte(lineage)}, wanted(id) AS MATERIALIZED (${selectIds(pages)})
    SELECT p.*, d.markdown, ${selectRestrictions(sql`p.parent`)} AS above FROM (
      SELECT ${nodeRow}, MIN(l.depth)
      FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`w.id`)} GROUP BY v.id) p
    LEFT JOIN documents d ON d.hash = p.document`);

interface IndexOptions {
  /** Whether unchanged pages are indexed again. */
  isForced?: boolean | undefined;
  /** A range in which pages that only the index has are removed. */
  range?: PageRange | undefined;
  /** Contents of which the next including pages are indexed. */
  included?: IncludedContents | undefined;
}

interface IndexedPages extends IndexStep {
  /** Whether descendants have to be re-indexed because inherited conditions changed. */
  isInherited: boolean;
  /** The pages at the head. */
  nodes: Node[];
  /** The contents of which more including pages have to be indexed. */
  next?: IncludedContents | undefined;
}

/**
 * Returns the statements that update the search index of pages to the space's head; unchanged pages are not written. It
 * may run twice, late or out of order, because it always reads the current state. Pages missing at the head are
 * removed, also those in `range` that only the index has.
 */
export async function indexChangedPages(
  { db, urls }: { db: Database; urls: Urls },
  space: SpaceId,
  changed: string[],
  { isForced = false, range, included }: IndexOptions = {},
): Promise<IndexedPages> {
  const none = { statements: [], events: [], isInherited: false, nodes: [] };
  const isNeeded = changed.length > 0 || range !== undefined || included !== undefined;
  const index = isNeeded ? await openIndex(db, space) : undefined;
  if (index === undefined) return none;
  const indexed = range === undefined ? [] : await findIndexedPages(index, space, range);
  const { inclusions, next } = included
    ? await findInclusions(db, space, included)
    : { inclusions: [], next: undefined };
  const pages = [...new Set([...changed, ...indexed, ...inclusions.map(([, page]) => page)])];
  const lineage = selectBranchLineage(space);
  const live = (await readRows(db, findPagesToIndex(lineage, pages))).flatMap((row) => toLivePage(row) ?? []);
  const { entries, including } = await createEntries(db, live, { space, lineage, urls });
  const ids = new Set(live.map(({ node }) => node.id));
  const missing = pages.filter((page) => !ids.has(page) && !isGeneratedId(page));
  const { statements, events, previous } = await updateIndex(db, space, index, { pages: entries, missing, isForced });
  const isInherited = entries.some(({ page, conditions }) => {
    const before = previous.get(page);
    return before !== undefined && JSON.stringify(before.conditions) !== JSON.stringify(conditions);
  });
  const current = [...including].flatMap(([page, { included: contents }]) =>
    contents.map((content): [string, string] => [content, page]),
  );
  const former = inclusions.filter(([content, page]) => !including.get(page)?.included.includes(content));
  return {
    statements: [...statements, ...writeInclusions(db, space, current), ...deleteInclusions(db, space, former)],
    events,
    isInherited,
    nodes: live.map(({ node }) => node),
    next,
  };
}

/** A page that exists, with its text and the restrictions of its ancestors. */
interface LivePage {
  node: Node;
  markdown: string;
  above: Restriction[];
}

export function toLivePage(row: PageRow): LivePage | undefined {
  const node = toNode(row);
  return node && { node, markdown: row.markdown ?? '', above: row.above };
}

interface Entries {
  entries: PageSections[];
  /** The sections of the pages that include texts, by page. */
  including: Map<string, ReadSections>;
}

/** Creates the index entries of pages. */
export async function createEntries(db: Database, pages: LivePage[], origin: Origin): Promise<Entries> {
  const documents = pages.filter(({ node }) => getPageFields(node).type === 'document');
  const including = await readIncludingSections(db, documents, origin);
  const entries: PageSections[] = [];
  for (const page of pages) entries.push(await toPageSections(origin.space, page, including.get(page.node.id)));
  return { entries, including };
}

async function toPageSections(
  space: SpaceId,
  { node, markdown, above }: LivePage,
  including: ReadSections | undefined,
): Promise<PageSections> {
  const { id: page, document } = node;
  const conditions = toPageConditions([...above, getRestriction(node)]);
  const { type, title } = getPageFields(node);
  if (type !== 'document') return createEmptySections(page, conditions);
  const entry = { page, title: title ?? '', conditions };
  if (including?.hasTexts === true) {
    const { sections } = including;
    return createPageSections({ ...entry, key: await createPageKey(space, page, sections), sections });
  }
  const sections = including?.sections ?? (await runInSlices(getSectionsInSteps(markdown)));
  return createPageSections({ ...entry, key: document ?? '', sections });
}

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
 * They apply only if the space's head and the newest versions of the specifications are still the ones read. The rows
 * of the parent are read here, once for all indexing steps.
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

/** Whether the state of a page in the index is outdated, and the page is not marked to get its current state. */
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
 * Guards that the space, its content and the newest versions are those that were read. A later change is indexed by its
 * own job.
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

/** A step of indexing: its statements, and the jobs that it requests. */
interface IndexStep {
  statements: Statement[];
  events: NewEvent[];
}

interface GeneratedStep extends IndexStep {
  /** Whether more pages are marked. */
  isPart: boolean;
}

/**
 * Returns the statements that index the next marked pages under a parent, provided their marks are unchanged. Pages with
 * the same text as before are only written if `anew` is set.
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
      ...createSettleGuards(db, space, parent, settled),
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
 * Guards that the space is not being purged and the pages have the same marks under this parent. A later change is
 * indexed by its own job.
 */
const createSettleGuards = (db: Database, space: SpaceId, parent: string, rows: DueRow[]): Statement[] => [
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
