import type { Database, RevisionPoint } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { PageContentQuery, Visitor } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { PlacedPage } from '../computed/computed-pages.ts';
import { isMadePage, placePage, readMadeParts, versionsOf } from '../computed/computed-pages.ts';
import type { PageKey } from '../computed/sources.ts';
import type { readSought, SoughtRows } from '../sites/places.ts';
import type { PageOptions, PageRows } from '../store/content.ts';
import { contentsOf, getContent, getNodes, getPage } from '../store/content.ts';
import { nodesOf } from '../store/nodes.ts';
import type { PointReading, ReadText } from './page-text.ts';
import { readShownUse, ShownPages, scopeOfSpace, scopeOn, shownUse } from './visibility.ts';

interface ContentReading {
  db: Database;
  point: RevisionPoint;
  visitor?: Visitor | undefined;
}

/**
 * A reusable content with its text and all that this includes, in one round trip. For a visitor also what uses it:
 * whether anything of that is shown.
 */
export async function findContent(
  id: string,
  { db, point, visitor }: ContentReading,
): Promise<{ text: ReadText; shown: ShownPages | undefined }> {
  const lineage = JSON.stringify(point.lineage);
  const rows = await runBatch(db, {
    ...getContent(point, id, visitor !== undefined),
    ...(visitor === undefined
      ? { some: [], users: [], variables: getNodes(point, 'variable') }
      : readShownUse(lineage, id)),
  });
  const contents = contentsOf(rows.included);
  const content = contents.get(id);
  if (content === undefined) throw notFound('reusable content');
  const scope = scopeOfSpace(nodesOf(rows.variables), visitor?.claims);
  const use = visitor && (await shownUse({ db, lineage, id, claims: visitor.claims }, rows));
  if (use?.uses(content.node) === false) throw notFound('reusable content');
  const shown = use && new ShownPages(scope, nodesOf(rows.linked), use.pages.hasConditions);
  const text = { node: content.node, markdown: content.markdown, scope: scopeOn(undefined, scope), contents };
  return { text, shown };
}

/** A page that the reader may see. */
export interface FoundPage extends PlacedPage {
  text: ReadText;
  /** The pages that a visitor is shown; undefined for members. */
  shown: ShownPages | undefined;
  beside: SoughtRows;
}

interface FindOptions extends Omit<PageOptions, 'isVisited'> {
  /** The queries that find the page in the other spaces of a site. */
  beside?: ReturnType<typeof readSought> | undefined;
}

export const pageById = (id: string): PageKey => ({ value: id, length: 0 });

/** @throws ApiError not_found, for a path that no page can have */
export function pageByPath(path: string): PageKey {
  const slugs = path.split('/').filter((slug) => slug !== '');
  if (slugs.length === 0 || slugs.length > 256) throw notFound('page');
  return { value: JSON.stringify(slugs), length: slugs.length };
}

/**
 * Finds a page at a point: reads it in one round trip, places it among the generated pages, and checks that the visitor
 * is shown it. The text of a generated page takes one round trip more.
 * @throws ApiError not_found
 */
export async function findPage(
  key: PageKey,
  { beside, ...options }: FindOptions,
  reading: PointReading,
): Promise<FoundPage> {
  const { db, visitor } = reading;
  const page = getPage(reading, key, { ...options, isVisited: visitor !== undefined });
  const { besideIt, ...rows } = await runBatch(db, { ...page, besideIt: beside ?? { sites: [], rows: [] } });
  const placed = placePage(rows, key, options.computed);
  reading.alsoFollowsFrom(versionsOf(placed.sources));
  const shown = visitor && shownAround(placed, rows, visitor.claims);
  if (shown?.has(placed.page.id) === false) throw notFound('page');
  return { ...placed, text: await textOf(placed, rows, reading), shown, beside: besideIt };
}

/** The pages that a visitor is shown, of those around a page and those that its text links to. */
function shownAround(
  { page, ancestors, descendants }: PlacedPage,
  rows: PageRows,
  claims: Visitor['claims'],
): ShownPages {
  const known = [page, ...ancestors, ...descendants, ...nodesOf(rows.linked)];
  return new ShownPages(scopeOfSpace(nodesOf(rows.variables), claims), known, rows.conditions[0]?.some === 1);
}

async function textOf({ page }: PlacedPage, rows: PageRows, { db, visitor }: PointReading): Promise<ReadText> {
  const [made] = isMadePage(page) ? await readMadeParts(db, [page]) : [];
  const scope = scopeOn(page, scopeOfSpace(nodesOf(rows.variables), visitor?.claims));
  return { node: page, markdown: rows.texts[0]?.markdown ?? '', scope, contents: contentsOf(rows.contents), made };
}

export const findOptionsOf = ({ depth, evaluated, dereferenced, computed }: PageContentQuery): FindOptions => ({
  depth,
  computed,
  isEvaluated: evaluated || dereferenced,
});
