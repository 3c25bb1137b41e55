import type { Database, ReadPoint, RevisionPoint, RowsOf } from '@octavo/db';
import { readRows, runBatch, toLineageValue } from '@octavo/db';
import type { Node } from '@octavo/merge';
import { runInSlices } from '@octavo/runtime';
import type { PageContentQuery, Visitor } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { PlacedPage } from '../computed/computed-pages.ts';
import { isGeneratedPage, placePage, readGeneratedContents, toVersionsKey } from '../computed/computed-pages.ts';
import type { PageKey } from '../computed/sources.ts';
import { findAnchoredPages, hasIncludes, LinkingText, readLateTexts, toCoverTarget } from '../links/late-links.ts';
import { readForeignLocations } from '../sites/foreign-locations.ts';
import type { PageOptions, PageRows } from '../store/content.ts';
import { getContent, getPage, queryAnchors, queryNodesOfKind, toContents } from '../store/content.ts';
import { toNodes } from '../store/nodes.ts';
import type { FormerAnchors, PointReading, ReadText, ReferenceForm, ReferenceReading } from './page-text.ts';
import { getLinkedNode } from './page-text.ts';
import { createPageScope, createSpaceScope, loadShownUse, queryVisibleUses, ShownPages } from './visibility.ts';

interface ContentReading {
  db: Database;
  point: RevisionPoint;
  visitor?: Visitor | undefined;
}

/**
 * Returns the queries for a reusable content with its text and everything it includes. For a visitor, also for the
 * pages that use it, to check that one of them is shown.
 */
export const queryContent = (id: string, { point, visitor }: { point: ReadPoint; visitor?: object | undefined }) => ({
  ...getContent(point, id, visitor !== undefined),
  ...queryVisibleUses(toLineageValue(point), id, visitor !== undefined),
  variables: queryNodesOfKind(point, 'variable'),
});

/** Returns the reusable content from the rows of `queryContent`. @throws ApiError not_found */
export async function toFoundContent(
  rows: RowsOf<ReturnType<typeof queryContent>>,
  id: string,
  { db, point, visitor }: ContentReading,
): Promise<{ text: ReadText; shownPages: ShownPages | undefined }> {
  const lineage = JSON.stringify(point.lineage);
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
}

const toIds = (rows: { id: string }[]): Set<string> => new Set(rows.map(({ id }) => id));

/** The key of the first page of a space, which is probably its home page. */
export const firstPageKey: PageKey = { value: '', length: 0 };

export const toIdKey = (id: string): PageKey => ({ value: id, length: 0 });

/** Returns the key of a path. @throws ApiError not_found, for a path that no page can have */
export function toPathKey(path: string): PageKey {
  const slugs = path.split('/').filter((slug) => slug !== '');
  if (slugs.length === 0 || slugs.length > 256) throw notFound('page');
  return { value: JSON.stringify(slugs), length: slugs.length };
}

/** Finds a page at a point in one round trip, and one more for the text of a generated page. @throws ApiError not_found */
export async function findPage(key: PageKey, options: PageOptions, reading: PointReading): Promise<FoundPage> {
  const rows = await runBatch(reading.db, getPage(reading, key, options));
  return toFoundPage(rows, { key, ...options }, reading);
}

/**
 * Puts a page among the generated pages, and checks that the visitor may see it. `rows` are the rows of `getPage`. The
 * text of a generated page takes a round trip. @throws ApiError not_found
 */
export async function toFoundPage(
  rows: PageRows,
  { key, computed }: { key: PageKey } & Pick<PageOptions, 'computed'>,
  reading: PointReading,
): Promise<FoundPage> {
  const placedPage = placePage(rows, key, computed);
  reading.addToEtag(toVersionsKey(placedPage.sources));
  const shownPages = reading.visitor && getShownPages(placedPage, rows, reading.visitor.claims);
  if (shownPages?.has(placedPage.page.id) === false) throw notFound('page');
  return { ...placedPage, text: await loadText(placedPage, rows, reading), shownPages };
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

export const toFindOptions = ({ depth, evaluated, dereferenced, computed }: PageContentQuery): PageOptions => ({
  depth,
  computed,
  isEvaluated: evaluated || dereferenced,
});

interface ReferenceOptions {
  /** The pages listed with the text. */
  pages?: Node[];
  form?: ReferenceForm;
  /** Whether contents replace their includes. */
  isDereferenced?: boolean;
}

/**
 * Reads the data needed to render the references of a text and of the pages listed with it. Returns the text with the
 * targets and contents that were created later.
 */
export async function readReferences(
  { text, shownPages }: { text: ReadText; shownPages: ShownPages | undefined },
  reading: PointReading,
  { pages = [], form = 'typed', isDereferenced = form === 'typed' }: ReferenceOptions = {},
): Promise<{ references: ReferenceReading; text: ReadText }> {
  const { space, urls, visitor } = reading;
  const listedPages = pages.filter(({ id }) => shownPages?.has(id) !== false);
  const isLate =
    form !== 'written' ||
    shownPages?.hasConditions === true ||
    (isDereferenced && [text, ...text.contents.values()].some(hasIncludes));
  const lateReading = { ...reading, lineage: JSON.stringify(reading.point.lineage), shownPages, missing: text.missing };
  const linking = { texts: [new LinkingText(text)], contents: text.contents, covers: listedPages.map(toCoverTarget) };
  const late = isLate
    ? await readLateTexts(linking, lateReading)
    : { linkedNodes: undefined, shownPages, contents: text.contents, texts: undefined };
  const linkedText = { ...text, node: getLinkedNode(text.node, late), contents: late.contents };
  const texts = late.texts ?? [text, ...text.contents.values()].map((each) => new LinkingText(each));
  const [foreignLocations, anchors] = await Promise.all([
    visitor && readForeignLocations({ texts, pages: listedPages }, { ...reading, visitor }),
    form === 'written' && visitor === undefined ? undefined : readFormerAnchors(texts, reading),
  ]);
  const references = {
    space,
    urls,
    foreignLocations,
    anchors,
    linkedNodes: late.linkedNodes,
    shownPages: late.shownPages,
  };
  return { references, text: linkedText };
}

/**
 * Reads the former anchors of the pages that texts link to with an anchor. One round trip, none if no text has such a
 * link; rows read are proportional to the links.
 */
async function readFormerAnchors(
  texts: LinkingText[],
  { db, point }: { db: Database; point: RevisionPoint },
): Promise<FormerAnchors> {
  const pages = await runInSlices(findAnchoredPages(texts));
  if (pages.size === 0) return new Map();
  const rows = await readRows(db, queryAnchors(point, pages));
  return new Map(rows.map(({ id, anchors }) => [id, JSON.parse(anchors) as NonNullable<Node['anchors']>]));
}
