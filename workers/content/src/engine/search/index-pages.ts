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
import { getContentSource, getSpecificationSlug } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { WithOrigin } from '../computed/computed-pages.ts';
import { buildGeneratedSections, readGeneratedContents } from '../computed/computed-pages.ts';
import { isGeneratedId } from '../computed/sources.ts';
import {
  lineageCte,
  nodeRow,
  selectAncestorConditions,
  selectBranchLineage,
  selectIds,
  selectState,
} from '../store/lineage.ts';
import { getPageFields, toNode } from '../store/nodes.ts';
import type { GeneratedParent, SearchablePage } from './generated-parents.ts';
import { findCollidingPages, readGeneratedParent } from './generated-parents.ts';
import type { PageSections } from './sections.ts';
import {
  createEmptySections,
  createPageSections,
  deleteSections,
  isSearchable,
  toPageCondition,
  writeSections,
} from './sections.ts';

/**
 * A page with its text at the space's head, the conditions of its ancestors, and the conditions with which it was
 * indexed.
 */
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
  /** Whether descendants have to be re-indexed because inherited conditions changed. */
  isInherited: boolean;
  /** The pages at the head. */
  nodes: Node[];
}

/**
 * Returns the statements that update the search index of pages to the space's head; unchanged sections are not written.
 * It may run twice, late or out of order: it never overwrites a newer state, and indexes nothing of a space that is
 * being purged. Pages missing at the head are removed.
 */
export async function indexChangedPages(db: Database, space: SpaceId, pages: string[]): Promise<IndexedPages> {
  if (pages.length === 0) return { statements: [], isInherited: false, nodes: [] };
  const states = pageRow.query(sql`
    WITH ${lineageCte(selectBranchLineage(space))}, wanted(id) AS MATERIALIZED (${selectIds(pages)})
    SELECT p.*, d.markdown, (SELECT seq FROM lineage WHERE depth = 0) AS head, ${selectAncestorConditions(sql`p.parent`)} AS above,
      (SELECT i.conditions FROM search_pages i WHERE i.space = ${space} AND i.page = p.id) AS indexed FROM (
      SELECT ${nodeRow}, MIN(l.depth)
      FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`w.id`)} GROUP BY v.id) p
    LEFT JOIN documents d ON d.hash = p.document`);
  const rows = await readRows(db, states);
  const knownIds = new Set(rows.map(({ id }) => id));
  const unknown = pages.filter((page) => !knownIds.has(page) && !isGeneratedId(page));
  const sectionsOfPages = await Promise.all(rows.map(loadPageSections));
  return {
    statements: [
      ...indexPages(db, space, sectionsOfPages, rows[0]?.head ?? 0),
      ...(unknown.length > 0 ? deletePages(db, space, unknown) : []),
    ],
    isInherited: rows.some((row) => row.indexed !== null && row.indexed !== JSON.stringify(getConditions(row))),
    nodes: rows.flatMap((row) => toNode(row) ?? []),
  };
}

/** Returns the conditions that must hold for a page to be visible: its own and those of its ancestors. */
const getConditions = (row: PageRow): string[] => {
  const node = toNode(row);
  const ownCondition = node === undefined ? undefined : getPageFields(node).condition;
  return [...new Set([...row.above, ...(ownCondition === undefined ? [] : [ownCondition])].map(toPageCondition))];
};

function deletePages(db: Database, space: SpaceId, pages: string[]): Statement[] {
  return [
    deleteSections(db, space, selectIds(pages)),
    db.run(sql`DELETE FROM search_pages WHERE space = ${space} AND page IN (${selectIds(pages)})`),
  ];
}

/** Returns the statements that index pages at one head. */
function indexPages(db: Database, space: SpaceId, pages: PageSections[], seq: number): Statement[] {
  if (pages.length === 0) return [];
  const conditions = JSON.stringify(pages.map((each) => [each.page, JSON.stringify(each.conditions)]));
  /** No other job has indexed the page at a newer head. */
  const newest = sql`CROSS JOIN search_pages p ON p.space = ${space} AND p.page = value->>0 AND p.seq = ${seq}`;
  return [
    db.run(sql`INSERT INTO search_pages (space, page, seq, conditions)
      SELECT ${space}, value->>0, ${seq}, value->>1 FROM json_each(${conditions}) WHERE ${isSearchable(space)}
      ON CONFLICT (space, page) DO UPDATE SET seq = excluded.seq, conditions = excluded.conditions
        WHERE excluded.seq > search_pages.seq`),
    ...writeSections(db, space, pages, newest),
  ];
}

async function loadPageSections(row: PageRow): Promise<PageSections> {
  const node = toNode(row);
  if (node === undefined) return createEmptySections(row.id);
  const { type, title } = getPageFields(node);
  const conditions = getConditions(row);
  if (type !== 'document') return { ...createEmptySections(row.id), conditions };
  return createPageSections(row.id, { title, conditions, sections: getSections(row.markdown ?? '') });
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

interface IndexedStep {
  statements: Statement[];
  /** Whether more pages are marked. */
  isPart: boolean;
}

/**
 * Returns the statements that index the next marked pages under a parent, provided their marks are unchanged; unchanged
 * sections are not written.
 */
export async function indexGeneratedPages(db: Database, space: SpaceId, parent: string): Promise<IndexedStep> {
  const rows = await readRows(db, readDuePages(space, parent));
  const [removed, pagesToIndex] = [true, false].map((isGoing) =>
    rows.slice(0, maxPages).filter(({ json }) => (json === removalMark) === isGoing),
  ) as [DueRow[], DueRow[]];
  const sections = await readSections(db, pagesToIndex);
  const indexedPages = pagesToIndex.slice(0, sections.length);
  const settled = [...removed, ...indexedPages];
  if (settled.length === 0) return { statements: [], isPart: false };
  return {
    statements: [
      ...createSettleGuards(db, space, parent, settled),
      ...deleteGeneratedPages(db, space, removed),
      ...writePages(db, space, parent, indexedPages),
      ...writeSections(db, space, sections, sql``),
    ],
    isPart: settled.length < rows.length,
  };
}

async function readSections(db: Database, rows: DueRow[]): Promise<PageSections[]> {
  const parts = await readGeneratedContents(
    db,
    rows.map(({ due }) => due),
  );
  return Promise.all(
    rows.slice(0, parts.length).map(({ page, due: { title, description, conditions } }, index) => {
      const content = parts[index];
      const sections = content === undefined ? [] : buildGeneratedSections(content, description);
      return createPageSections(page, { title, conditions, sections });
    }),
  );
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
  return [
    deleteSections(db, space, pages),
    db.run(sql`DELETE FROM search_made_pages WHERE space = ${space} AND page IN (${pages})`),
  ];
}
