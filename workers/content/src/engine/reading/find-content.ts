import type { Database, RevisionPoint } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { PageContentQuery, Visitor } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { PlacedPage } from '../computed/computed-pages.ts';
import { isGeneratedPage, placePage, readGeneratedContents, toVersionsKey } from '../computed/computed-pages.ts';
import type { PageKey } from '../computed/sources.ts';
import type { LocationRows, readLocations } from '../sites/site-locations.ts';
import type { PageOptions, PageRows } from '../store/content.ts';
import { getContent, getNodes, getPage, toContents } from '../store/content.ts';
import { toNodes } from '../store/nodes.ts';
import type { PointReading, ReadText } from './page-text.ts';
import { createPageScope, createSpaceScope, loadShownUse, readShownUse, ShownPages } from './visibility.ts';

interface ContentReading {
  db: Database;
  point: RevisionPoint;
  visitor?: Visitor | undefined;
}

/**
 * Reads a reusable content with its text and everything it includes, in one round trip. For a visitor, also reads the
 * pages that use it, to check that one of them is shown.
 */
export async function findContent(
  id: string,
  { db, point, visitor }: ContentReading,
): Promise<{ text: ReadText; shownPages: ShownPages | undefined }> {
  const lineage = JSON.stringify(point.lineage);
  const rows = await runBatch(db, {
    ...getContent(point, id, visitor !== undefined),
    ...(visitor === undefined
      ? { some: [], users: [], variables: getNodes(point, 'variable') }
      : readShownUse(lineage, id)),
  });
  const contents = toContents(rows.included);
  const content = contents.get(id);
  if (content === undefined) throw notFound('reusable content');
  const scope = createSpaceScope(toNodes(rows.variables), visitor?.claims);
  const use = visitor && (await loadShownUse({ db, lineage, id, claims: visitor.claims }, rows));
  if (use?.isUsed(content.node) === false) throw notFound('reusable content');
  const shownPages = use && new ShownPages(scope, toNodes(rows.linked), use.pages.hasConditions);
  const text = {
    node: content.node,
    markdown: content.markdown,
    scope: createPageScope(undefined, scope),
    contents,
    missing: toIds(rows.missing),
  };
  return { text, shownPages };
}

/** A page that the reader may see. */
export interface FoundPage extends PlacedPage {
  text: ReadText;
  /** The pages that a visitor may see; undefined for members. */
  shownPages: ShownPages | undefined;
  alternates: LocationRows;
}

interface FindOptions extends Omit<PageOptions, 'isVisited'> {
  /** The queries that find the page in the other spaces of a site. */
  alternates?: ReturnType<typeof readLocations> | undefined;
}

const toIds = (rows: { id: string }[]): Set<string> => new Set(rows.map(({ id }) => id));

export const toIdKey = (id: string): PageKey => ({ value: id, length: 0 });

/** @throws ApiError not_found, for a path that no page can have */
export function toPathKey(path: string): PageKey {
  const slugs = path.split('/').filter((slug) => slug !== '');
  if (slugs.length === 0 || slugs.length > 256) throw notFound('page');
  return { value: JSON.stringify(slugs), length: slugs.length };
}

/**
 * Finds a page at a point: reads it in one round trip, puts it among the generated pages, and checks that the visitor
 * may see it. The text of a generated page takes one more round trip.
 * @throws ApiError not_found
 */
export async function findPage(
  key: PageKey,
  { alternates, ...options }: FindOptions,
  reading: PointReading,
): Promise<FoundPage> {
  const { db, visitor } = reading;
  const page = getPage(reading, key, { ...options, isVisited: visitor !== undefined });
  const alternateReads = alternates ?? { sites: [], rows: [] };
  const { found, ...rows } = await runBatch(db, { ...page, found: alternateReads });
  const placedPage = placePage(rows, key, options.computed);
  reading.addToEtag(toVersionsKey(placedPage.sources));
  const shownPages = visitor && getShownPages(placedPage, rows, visitor.claims);
  if (shownPages?.has(placedPage.page.id) === false) throw notFound('page');
  return { ...placedPage, text: await loadText(placedPage, rows, reading), shownPages, alternates: found };
}

/** Returns the pages that a visitor may see, among the pages around a page and the link targets of its text. */
function getShownPages(
  { page, ancestors, descendants }: PlacedPage,
  rows: PageRows,
  claims: Visitor['claims'],
): ShownPages {
  const nodes = [page, ...ancestors, ...descendants, ...toNodes(rows.linked)];
  return new ShownPages(createSpaceScope(toNodes(rows.variables), claims), nodes, rows.conditions[0]?.some === 1);
}

async function loadText({ page }: PlacedPage, rows: PageRows, { db, visitor }: PointReading): Promise<ReadText> {
  const [generated] = isGeneratedPage(page) ? await readGeneratedContents(db, [page]) : [];
  const scope = createPageScope(page, createSpaceScope(toNodes(rows.variables), visitor?.claims));
  return {
    node: page,
    markdown: rows.texts[0]?.markdown ?? '',
    scope,
    contents: toContents(rows.contents),
    generated,
    missing: toIds(rows.missing),
  };
}

export const toFindOptions = ({ depth, evaluated, dereferenced, computed }: PageContentQuery): FindOptions => ({
  depth,
  computed,
  isEvaluated: evaluated || dereferenced,
});
