import type { Connection, Database, RowsOf } from '@octavo/db';
import { foreverSeq, runBatch } from '@octavo/db';
import type { EvaluationScope } from '@octavo/expression';
import { maxPageDepth } from '@octavo/merge';
import type { Claims, FormerPath, PageReading, ResolvedPage } from '@octavo/schema';
import { findGeneratedPage, isLink } from '../../engine/computed/computed-pages.ts';
import type { GeneratedPageRow } from '../../engine/computed/sources.ts';
import { maxAnchorLength } from '../../engine/links/targets.ts';
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
    const reading = readings[index];
    const statement = page && reading && createAnchorQuery(reading, page);
    return statement ? [[String(index), statement] as const] : [];
  });
  if (statements.length === 0) return pages;
  const found = new Map(Object.entries(await runBatch(db, Object.fromEntries(statements))));
  return pages.map((page, index) => {
    const [row] = found.get(String(index)) ?? [];
    return page === null || row === undefined ? page : { ...page, anchor: row.anchor };
  });
}

/**
 * Creates the query that reads the anchor of a resolved page. If the page has left the location of its space in the
 * site, the live content of its current space is read.
 */
function createAnchorQuery(reading: PageReading, { page, former }: ResolvedPage) {
  const { anchor = '', claims, former: places = [] } = reading;
  if (page === '' || anchor === '' || anchor.length > maxAnchorLength) return undefined;
  const place = former === undefined ? undefined : places[former];
  return findCurrentAnchor(place === undefined ? reading : { space: place.space, path: '', claims }, page, anchor);
}

async function findPages(db: Database, readings: PageReading[]): Promise<(ResolvedPage | null)[]> {
  const lookups = readings.map((reading) => ({ reading, key: toKey(reading) }));
  const statements = lookups.flatMap(({ reading, key }, index) =>
    key === undefined ? [] : [[String(index), createQueries(reading, key)] as const],
  );
  const found = new Map(Object.entries(await runBatch(db, Object.fromEntries(statements))));
  return lookups.map(({ reading, key }, index) => {
    const rows = found.get(String(index));
    return key === undefined || rows === undefined ? null : toResolvedPage(reading, key, rows);
  });
}

const createQueries = (reading: PageReading, key: Key) => ({
  ...createPageQueries(reading, key),
  former: createFormerQueries(reading),
});

/** Undefined if the path is deeper than pages can be nested. */
function toKey({ path, page }: PageReading): Key | undefined {
  if (page !== undefined) return { key: page, length: 0 };
  const slugs = splitPath(path);
  return slugs.length > maxPageDepth ? undefined : { key: JSON.stringify(slugs), length: slugs.length };
}

function toResolvedPage(
  reading: PageReading,
  { key, length }: Key,
  { rows, variables, former, made }: RowsOf<ReturnType<typeof createQueries>>,
): ResolvedPage | null {
  const { claims, page } = reading;
  const scope = claims === null ? null : createSpaceScope(toNodes(variables), claims);
  const isThere = rows.some(({ rank }) => rank === 0);
  const isMade = isThere ? undefined : findVisibleGeneratedPage(made, { key, length, scope });
  if (isMade !== undefined) return isMade;
  const found = findFirstVisible(rows, scope, length === 0 && page === undefined);
  if (found?.rank === 0) return presentPage(found);
  return findNewestFormer(reading, former) ?? (found === undefined ? null : presentPage(found));
}

const presentPage = ({ page, path, rank, movedAt }: VisiblePage): ResolvedPage => ({
  ...{ page, path, isOld: rank > 0 },
  ...(movedAt === null ? {} : { movedAt }),
});

/*
 * A URL of a site may once have started with the location of another space, or with another location of the same space.
 * The periods of each location are known, so a page once had a URL if it had the rest of the path in one of them.
 */

/**
 * Creates the queries for pages that had a path in former locations, by location. A path without former locations has
 * none.
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

/** Returns the visible page that had a path in a former location last. */
function findNewestFormer(
  { former = [], claims }: PageReading,
  found: RowsOf<ReturnType<typeof createFormerQueries>>,
): ResolvedPage | undefined {
  const all = former.flatMap((each, index) =>
    findAtLocation(each, found[String(index)], claims).map((page) => ({ ...page, index })),
  );
  const [last] = all.toSorted((one, other) => other.until - one.until);
  if (last === undefined) return undefined;
  const { page, path, until, index } = last;
  return { page, path, isOld: true, former: index, ...(until === foreverSeq ? {} : { movedAt: until }) };
}

function findAtLocation(
  { path, times }: FormerPath,
  found: RowsOf<ReturnType<typeof createFormerQueries>>[string] | undefined,
  claims: Claims | null,
): { page: string; path: string; until: number }[] {
  if (path === '') return [{ page: '', path: '', until: Math.max(...times.map(([, until]) => until)) }];
  if (found === undefined) return [];
  const scope = claims === null ? null : createSpaceScope(toNodes(found.variables), claims);
  const shown = findFirstVisible(found.rows, scope, false);
  return shown === undefined ? [] : [{ page: shown.page, path: shown.path, until: shown.movedAt ?? foreverSeq }];
}

/** Returns the visible generated page at a path of `length` slugs, or with an id if `length` is 0. */
function findVisibleGeneratedPage(
  rows: GeneratedPageRow[],
  { key, length, scope }: { key: string; length: number; scope: EvaluationScope | null },
): ResolvedPage | undefined {
  const found = findGeneratedPage(rows, key, length);
  if (found === undefined || isLink(found.page)) return undefined;
  const upwards = [found.page, ...found.ancestors];
  const isShown = upwards.every((node) => scope === null || isPageShown(getPageFields(node), scope));
  if (!isShown) return undefined;
  const whole = upwards.map(({ slug }) => slug).reverse();
  return { page: found.page.id, path: whole.join('/'), isOld: false };
}

interface FoundDocument {
  slugs: string[];
  id: string;
}

/**
 * Returns the visible page for a page or group, given it and its ancestors in `chain`. For a group this is the first
 * visible page in it.
 */
function findVisible(chain: readonly PathRow[], below: Map<string, PathRow[]>, scope: EvaluationScope | null) {
  const upwards = chain.toSorted((one, other) => one.place - other.place);
  if (!upwards.every(createVisibilityTest(scope))) return undefined;
  const slugs = upwards.map(({ slug }) => slug).reverse();
  const [page] = upwards;
  const found = page?.type === 'document' ? { slugs, id: page.id } : findFirstBelow({ slugs, id: page?.id ?? '' });
  return found && { page: found.id, path: found.slugs.join('/') };

  function findFirstBelow({ slugs: above, id }: FoundDocument): FoundDocument | undefined {
    const children = below.get(id)?.toSorted((one, other) => one.place - other.place) ?? [];
    for (const child of children.filter(createVisibilityTest(scope))) {
      const here = { slugs: [...above, child.slug], id: child.id };
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
  /** Its rank among the pages that the path can mean: 0 for the current page. */
  rank: number;
  movedAt: number | null;
}

/** Returns the first visible page; `isRoot` if the path is that of a whole space. */
function findFirstVisible(rows: PathRow[], scope: EvaluationScope | null, isRoot: boolean): VisiblePage | undefined {
  const below = Map.groupBy(
    rows.filter(({ rank }) => rank === null),
    ({ parent }) => parent,
  );
  const chains = Map.groupBy(
    rows.filter(({ rank }) => rank !== null),
    ({ rank }) => rank ?? 0,
  );
  for (const [rank, chain] of isRoot ? [[0, []] as [number, PathRow[]]] : chains) {
    const found = findVisible(chain, below, scope);
    const movedAt = chain.find(({ place }) => place === 0)?.movedAt ?? null;
    if (found !== undefined) return { ...found, rank, movedAt };
  }
  return undefined;
}
