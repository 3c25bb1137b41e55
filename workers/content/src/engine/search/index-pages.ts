import type { Database, RecordOf, Statement } from '@octavo/db';
import { documents, fromJson, fromQuery, nullable, readRows, selectBranchLineage, selection } from '@octavo/db';
import { getSectionsInSteps } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { runInSlices } from '@octavo/runtime';
import type { NewEvent, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { isGeneratedId } from '../computed/sources.ts';
import { createLineageCte, nodeRow, selectRestrictions, selectState } from '../store/lineage.ts';
import { getPageFields, toNode } from '../store/nodes.ts';
import type { ContentOrigin, IncludedContents, ReadSections } from './page-includes.ts';
import { deleteInclusions, findInclusions, readIncludingSections, writeInclusions } from './page-includes.ts';
import type { PageSections, Restriction } from './sections.ts';
import { createEmptySections, createPageSections, getRestriction, toPageConditions } from './sections.ts';
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

/**
 * Returns the query for the states of pages, which are read through a lineage. Deleted pages return tombstones. The
 * lineage is read in order, so the LIMIT stops at the nearest branch that has a page.
 */
const queryPagesToIndex = (lineage: SQL | string, pages: string[]) =>
  pageRow.query(sql`
    WITH ${createLineageCte(lineage)}
    SELECT p.*, d.markdown, ${selectRestrictions(sql`p.parent`)} AS above FROM (
      SELECT ${nodeRow} FROM json_each(${JSON.stringify(pages)}) w
      CROSS JOIN versions v ON v.kind = 'page' AND v.id = w.value AND (v.branch, v.since) = (
        SELECT v.branch, v.since FROM lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`w.value`)} LIMIT 1)) p
    LEFT JOIN documents d ON d.hash = p.document`);

/** A step of indexing: its statements, and the jobs that it requests. */
export interface IndexStep {
  statements: Statement[];
  events: NewEvent[];
}

interface IndexOptions {
  /** Whether unchanged pages are indexed again. */
  isForced?: boolean | undefined;
  /** A range of page ids. Pages in the range that only the index still has are removed from it. */
  range?: PageRange | undefined;
  /** Reusable contents. The step indexes the next pages that include one of them. */
  included?: IncludedContents | undefined;
}

interface IndexedPages extends IndexStep {
  /** Whether descendants have to be re-indexed because inherited conditions changed. */
  isInherited: boolean;
  /** The pages at the head. */
  nodes: Node[];
  /** The reusable contents with more including pages to index. */
  next?: IncludedContents | undefined;
}

/**
 * Returns the statements that update the search index of pages to the space's head; unchanged pages are not written.
 * The function may run twice, late or out of order, because it always reads the current state. Pages missing at the
 * head are removed, including those in `range` that only the index has.
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
  const live = (await readRows(db, queryPagesToIndex(lineage, pages))).flatMap((row) => toLivePage(row) ?? []);
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
export interface LivePage {
  node: Node;
  markdown: string;
  above: Restriction[];
}

function toLivePage(row: PageRow): LivePage | undefined {
  const node = toNode(row);
  return node && { node, markdown: row.markdown ?? '', above: row.above };
}

interface Entries {
  entries: PageSections[];
  /** The sections of pages that include reusable content, by the id of the page. */
  including: Map<string, ReadSections>;
}

/** Creates the index entries of pages. */
export async function createEntries(db: Database, pages: LivePage[], origin: ContentOrigin): Promise<Entries> {
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
