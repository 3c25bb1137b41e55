import type { Connection, Database, RowsOf } from '@octavo/db';
import { foreverSeq, runBatch } from '@octavo/db';
import type { EvaluationScope } from '@octavo/expression';
import { maxAnchorLength } from '@octavo/markdown';
import { maxPageDepth } from '@octavo/merge';
import type { Claims, FormerPath, PageReading, ResolvedPage } from '@octavo/schema';
import { findGeneratedPage, isLink } from '../../engine/computed/computed-pages.ts';
import type { GeneratedPageRow } from '../../engine/computed/sources.ts';
import { createSpaceScope, isPageShown } from '../../engine/reading/visibility.ts';
import { getPageFields, toNodes } from '../../engine/store/nodes.ts';
import type { Key, PathRow } from './queries.ts';
import { createPageQueries, findCurrentAnchor, readFormerPages, readVariables, splitPath } from './queries.ts';

/**
 * Resolves the paths that a visitor requests to pages: the current page of a path, else the newest visible page that
 * once had it. One round trip, whose rows are proportional to the paths; one more if anchors are requested.
 */
export async function resolvePages(
  readings: PageReading[],
  { db }: Pick<Connection, 'db'>,
): Promise<(ResolvedPage | null)[]> {
  const pages = await findPages(db, readings);
  const statements = pages.flatMap((page, index) => {
    const request = readings[index];
    const statement = page && request && createAnchorQuery(request, page);
    return statement ? [[String(index), statement] as const] : [];
  });
  if (statements.length === 0) return pages;
  const anchors = new Map(Object.entries(await runBatch(db, Object.fromEntries(statements))));
  return pages.map((page, index) => {
    const [row] = anchors.get(String(index)) ?? [];
    return page === null || row === undefined ? page : { ...page, anchor: row.anchor };
  });
}

/**
 * Creates the query that reads the anchor of a resolved page. If the page has left the location of its space in the
 * site, the live content of its current space is read.
 */
function createAnchorQuery(request: PageReading, { page, former }: ResolvedPage) {
  const { anchor = '', claims, former: formerPaths = [] } = request;
  if (page === '' || anchor === '' || anchor.length > maxAnchorLength) return undefined;
  const formerPath = former === undefined ? undefined : formerPaths[former];
  return findCurrentAnchor(
    formerPath === undefined ? request : { space: formerPath.space, path: '', claims },
    page,
    anchor,
  );
}

async function findPages(db: Database, readings: PageReading[]): Promise<(ResolvedPage | null)[]> {
  const lookups = readings.map((request) => ({ reading: request, key: toKey(request) }));
  const statements = lookups.flatMap(({ reading, key }, index) =>
    key === undefined ? [] : [[String(index), createQueries(reading, key)] as const],
  );
  const results = new Map(Object.entries(await runBatch(db, Object.fromEntries(statements))));
  return lookups.map(({ reading, key }, index) => {
    const rows = results.get(String(index));
    return key === undefined || rows === undefined ? null : toResolvedPage(reading, key, rows);
  });
}

const createQueries = (request: PageReading, key: Key) => ({
  ...createPageQueries(request, key),
  former: createFormerQueries(request),
});

/** Returns the key of the requested page; undefined if the path is deeper than pages can be nested. */
function toKey({ path, page }: PageReading): Key | undefined {
  if (page !== undefined) return { key: page, length: 0 };
  const slugs = splitPath(path);
  return slugs.length > maxPageDepth ? undefined : { key: JSON.stringify(slugs), length: slugs.length };
}

function toResolvedPage(
  request: PageReading,
  { key, length }: Key,
  { rows, variables, former, made }: RowsOf<ReturnType<typeof createQueries>>,
): ResolvedPage | null {
  const { claims, page } = request;
  const scope = claims === null ? null : createSpaceScope(toNodes(variables), claims);
  const exists = rows.some(({ rank }) => rank === 0);
  const generatedPage = exists ? undefined : findVisibleGeneratedPage(made, { key, length, scope });
  if (generatedPage !== undefined) return generatedPage;
  const visiblePage = findFirstVisible(rows, scope, length === 0 && page === undefined);
  if (visiblePage?.rank === 0) return presentPage(visiblePage);
  return findNewestFormer(request, former) ?? (visiblePage === undefined ? null : presentPage(visiblePage));
}

const presentPage = ({ page, path, rank, movedAt }: VisiblePage): ResolvedPage => ({
  ...{ page, path, isOld: rank > 0 },
  ...(movedAt === null ? {} : { movedAt }),
});

/*
 * During known periods, the address of a site may have shown another space, or another location of the same space. A
 * page had a URL if, during such a period, the page had the path that follows this address in the URL.
 */

/**
 * Creates the queries for pages that had a path in former locations, by location. A path without former locations needs
 * no queries.
 */
const createFormerQueries = ({ space, path, former = [] }: PageReading) =>
  Object.fromEntries(
    former.flatMap((each, index) => {
      const slugs = splitPath(each.path);
      if (slugs.length === 0 || slugs.length > maxPageDepth) return [];
      const present = [space, JSON.stringify(splitPath(path)), splitPath(path).length] as const;
      const rows = readFormerPages(
        each.space,
        JSON.stringify(slugs),
        slugs.length,
        JSON.stringify(each.times),
        ...present,
      );
      return [[String(index), { rows, variables: readVariables(each.space) }] as const];
    }),
  );

/** Returns the visible page that most recently had a path in a former location. */
function findNewestFormer(
  { former = [], claims }: PageReading,
  rows: RowsOf<ReturnType<typeof createFormerQueries>>,
): ResolvedPage | undefined {
  const all = former.flatMap((each, index) =>
    findAtLocation(each, rows[String(index)], claims).map((page) => ({ ...page, index })),
  );
  const [last] = all.toSorted((one, other) => other.until - one.until);
  if (last === undefined) return undefined;
  const { page, path, until, index } = last;
  return { page, path, isOld: true, former: index, ...(until === foreverSeq ? {} : { movedAt: until }) };
}

function findAtLocation(
  { path, times }: FormerPath,
  location: RowsOf<ReturnType<typeof createFormerQueries>>[string] | undefined,
  claims: Claims | null,
): { page: string; path: string; until: number }[] {
  if (path === '') return [{ page: '', path: '', until: Math.max(...times.map(([, until]) => until)) }];
  if (location === undefined) return [];
  const scope = claims === null ? null : createSpaceScope(toNodes(location.variables), claims);
  const visiblePage = findFirstVisible(location.rows, scope, false);
  return visiblePage === undefined
    ? []
    : [{ page: visiblePage.page, path: visiblePage.path, until: visiblePage.movedAt ?? foreverSeq }];
}

/** Returns the visible generated page at a path of `length` slugs, or with an id if `length` is 0. */
function findVisibleGeneratedPage(
  rows: GeneratedPageRow[],
  { key, length, scope }: { key: string; length: number; scope: EvaluationScope | null },
): ResolvedPage | undefined {
  const generatedPage = findGeneratedPage(rows, key, length);
  if (generatedPage === undefined || isLink(generatedPage.page)) return undefined;
  const chain = [generatedPage.page, ...generatedPage.ancestors];
  const isShown = chain.every((node) => scope === null || isPageShown(getPageFields(node), scope));
  if (!isShown) return undefined;
  const slugs = chain.map(({ slug }) => slug).reverse();
  return { page: generatedPage.page.id, path: slugs.join('/'), isOld: false };
}

interface FoundDocument {
  slugs: string[];
  id: string;
}

/**
 * Returns the visible page for a page or group. `chain` contains this page or group and its ancestors. For a group, it
 * is the first visible page in the group.
 */
function findVisible(chain: readonly PathRow[], rowsByParent: Map<string, PathRow[]>, scope: EvaluationScope | null) {
  const sortedChain = chain.toSorted((one, other) => one.place - other.place);
  if (!sortedChain.every(createVisibilityTest(scope))) return undefined;
  const slugs = sortedChain.map(({ slug }) => slug).reverse();
  const [page] = sortedChain;
  const document = page?.type === 'document' ? { slugs, id: page.id } : findFirstBelow({ slugs, id: page?.id ?? '' });
  return document && { page: document.id, path: document.slugs.join('/') };

  function findFirstBelow({ slugs: parentSlugs, id }: FoundDocument): FoundDocument | undefined {
    const children = rowsByParent.get(id)?.toSorted((one, other) => one.place - other.place) ?? [];
    for (const child of children.filter(createVisibilityTest(scope))) {
      const here = { slugs: [...parentSlugs, child.slug], id: child.id };
      const first = child.type === 'document' ? here : child.type === 'group' ? findFirstBelow(here) : undefined;
      if (first !== undefined) return first;
    }
    return undefined;
  }
}

const createVisibilityTest =
  (scope: EvaluationScope | null) =>
  ({ condition, variables }: PathRow): boolean =>
    scope === null || isPageShown({ condition, variables }, scope);

interface VisiblePage {
  page: string;
  path: string;
  /** The rank of the page among all pages that the path can mean: 0 for the current page. */
  rank: number;
  movedAt: number | null;
}

/** Returns the first visible page. `isRoot` means that the path names a whole space. */
function findFirstVisible(rows: PathRow[], scope: EvaluationScope | null, isRoot: boolean): VisiblePage | undefined {
  const rowsByParent = Map.groupBy(
    rows.filter(({ rank }) => rank === null),
    ({ parent }) => parent,
  );
  const chains = Map.groupBy(
    rows.filter(({ rank }) => rank !== null),
    ({ rank }) => rank ?? 0,
  );
  for (const [rank, chain] of isRoot ? [[0, []] as [number, PathRow[]]] : chains) {
    const visible = findVisible(chain, rowsByParent, scope);
    const movedAt = chain.find(({ place }) => place === 0)?.movedAt ?? null;
    if (visible !== undefined) return { ...visible, rank, movedAt };
  }
  return undefined;
}
