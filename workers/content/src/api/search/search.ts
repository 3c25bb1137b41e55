import type { Lookup, RevisionPoint, RowsOf, SpaceRecord } from '@octavo/db';
import { paginate, prepareStatement, runBatch } from '@octavo/db';
import type { ServiceContext } from '@octavo/runtime';
import type {
  ChangeRequestId,
  content,
  OrganizationId,
  OrganizationSearch,
  QueryOf,
  SearchList,
  SearchPage,
  SiteSearch,
  SpaceId,
  SpaceSearchResult,
  SuggestionList,
} from '@octavo/schema';
import type { Query } from '@octavo/search';
import { parseQuery, WordMatcher } from '@octavo/search';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { loadChangedPages } from '../../engine/search/changed-pages.ts';
import type { StoredSegment } from '../../engine/search/index-store.ts';
import { readSegments, readSegmentsOfSite, retryIfMerged } from '../../engine/search/index-store.ts';
import { handler } from '../../handler.ts';
import { findHits, findSuggestions, groupByPage, rankBySpace, rankHits, rankPages } from './find-hits.ts';
import { addCorrection, groupBySpace, presentPage, presentSpace, presentSuggestions } from './presenter.ts';
import {
  decodeOffset,
  getSearchedSpaces,
  hitRow,
  maxPageSize,
  maxPagesOfOnlySpace,
  maxPagesPerSpace,
  readHeads,
  readRankedHits,
  readRankedSpaces,
  readSiteSpaces,
  readSynonyms,
  readSynonymsOfSite,
  readVisibleSpaces,
  selectVisiblePages,
} from './queries.ts';
import { ResultCache } from './result-cache.ts';
import { parseSynonyms } from './synonyms.ts';
import { readPages } from './texts.ts';

type SearchService = Pick<ServiceContext<unknown>, 'db' | 'urls'>;

/** Returns the spaces that the member may see, ordered by their best hit, each with its best pages. */
export const searchOrganization = (search: OrganizationSearch, context: SearchService) =>
  findInOrganization(search, context, { kind: 'pages', find: searchSpaces });

/** Returns the best titles and headings of the spaces that the member may see. */
export const suggestInOrganization = (search: OrganizationSearch, context: SearchService) =>
  findInOrganization(search, context, { kind: 'suggestions', find: suggestInSpaces });

/** Returns the searched spaces of a site, ordered by their best hit, each with its best pages. */
export const searchSite = (search: SiteSearch, context: SearchService) =>
  findInSite(search, context, { kind: 'pages', find: searchSpaces });

/** Returns the best titles and headings of the searched spaces of a site. */
export const suggestInSite = (search: SiteSearch, context: SearchService) =>
  findInSite(search, context, { kind: 'suggestions', find: suggestInSpaces });

/** The functions that find one kind of result in several spaces if it is not cached. */
interface Finder<Result> {
  kind: 'pages' | 'suggestions';
  find: (search: SpacesSearch, context: SearchService, cache: ResultCache<Result>) => Promise<Result>;
}

const findInOrganization = <Result>(
  search: OrganizationSearch,
  context: SearchService,
  { kind, find }: Finder<Result>,
): Promise<Result> =>
  retryIfMerged(async () => {
    const { organization, actor, role, query: text, page, limit } = search;
    const cache = new ResultCache<Result>([kind, organization, actor, role, text, page, limit]);
    const { spaces, segments, synonyms, heads } = await runBatch(context.db, {
      spaces: readVisibleSpaces(organization, actor, role),
      segments: readSegments(organization),
      synonyms: readSynonyms(organization),
      heads: readHeads(cache.spaces),
    });
    const titles = new Map(spaces.map(({ id, title }) => [id, title]));
    const query = parseQuery(text, await parseSynonyms(synonyms));
    const state = [spaces, segments, query.alternatives, query.similarAlternatives];
    const searched = { ...search, query, claims: null, titles, segments, state };
    return cache.find([...state, heads]) ?? find(searched, context, cache);
  });

const findInSite = <Result>(
  search: SiteSearch,
  context: SearchService,
  { kind, find }: Finder<Result>,
): Promise<Result> =>
  retryIfMerged(async () => {
    const cache = new ResultCache<Result>([kind, search]);
    const { spaces, segments, synonyms, heads } = await runBatch(context.db, {
      spaces: readSiteSpaces(search.site, search.user),
      segments: readSegmentsOfSite(search.site),
      synonyms: readSynonymsOfSite(search.site),
      heads: readHeads(cache.spaces),
    });
    const titles = getSearchedSpaces(spaces, search);
    const query = parseQuery(search.query, await parseSynonyms(synonyms));
    const state = [spaces, segments, query.alternatives, query.similarAlternatives];
    const searched = { ...search, query, titles, segments, state };
    return cache.find([...state, heads]) ?? find(searched, context, cache);
  });

interface SpacesSearch extends Pick<SiteSearch, 'limit' | 'page' | 'claims'> {
  query: Query;
  /** The titles, by id, of the spaces to search. */
  titles: Map<string, string>;
  segments: StoredSegment[];
  /** The spaces, segments and synonyms. The result depends on them and on the content of the spaces. */
  state: unknown[];
}

async function searchSpaces(
  { query, limit: wanted, page, claims, titles, segments, state }: SpacesSearch,
  { db, urls }: SearchService,
  cache: ResultCache<SearchList<SpaceSearchResult>>,
): Promise<SearchList<SpaceSearchResult>> {
  const offset = decodeOffset(page);
  const limit = Math.min(wanted, maxPageSize);
  const [first] = segments;
  if (first === undefined || query.terms.length === 0 || limit === 0 || titles.size === 0)
    return { count: 0, items: [] };
  const { organization } = first;
  const isVisibleSpace = (id: string) => titles.has(id);
  const searchResult = await findHits(db, query, { organization, segments, isVisibleSpace, claims });
  const ranking = rankBySpace(searchResult.hits);
  const spaces = JSON.stringify(ranking.map(([space]) => space));
  const pagesPerSpace = titles.size === 1 ? maxPagesOfOnlySpace : maxPagesPerSpace;
  const shown = readRankedSpaces(JSON.stringify(ranking), searchResult.metConditions, pagesPerSpace, limit, offset);
  const { pages, heads } = await readPages(db, shown, searchResult.hits, { spaces });
  const words = new WordMatcher(searchResult.words);
  const list = paginate(groupBySpace(pages), limit, {
    item: (space) => presentSpace(titles.get(space[0].space) ?? '', space, { words, urls }),
    getCursor: () => [offset + limit],
  });
  const result = addCorrection(list, searchResult.correction);
  cache.add(result, pages, { state: [...state, heads], spaces, hits: searchResult.hits });
  return result;
}

async function suggestInSpaces(
  { query, limit, claims, titles, segments, state }: SpacesSearch,
  { db, urls }: SearchService,
  cache: ResultCache<SuggestionList>,
): Promise<SuggestionList> {
  const [first] = segments;
  if (first === undefined || query.terms.length === 0 || limit === 0 || titles.size === 0) return { items: [] };
  const { organization } = first;
  const isVisibleSpace = (id: string) => titles.has(id);
  const suggestionResult = await findSuggestions(db, query, { organization, segments, isVisibleSpace, claims });
  const hits = groupByPage(suggestionResult.suggestions);
  const spaces = JSON.stringify([...new Set(hits.map(({ space }) => space))]);
  const shown = readRankedHits(JSON.stringify(rankHits(hits)), spaces, suggestionResult.metConditions, limit);
  const { pages, heads } = await readPages(db, shown, hits.slice(0, limit), { spaces });
  const words = new WordMatcher(suggestionResult.words);
  const items = presentSuggestions(suggestionResult.suggestions, pages, { titles, words, urls }).slice(0, limit);
  const result = addCorrection({ items }, suggestionResult.correction);
  cache.add(result, pages, { state: [...state, heads], spaces, hits });
  return result;
}

/**
 * Searches the live content of a space, or the content of a change request. The index contains live content, so the
 * pages of a change request that differ from it are indexed in memory.
 */
export const searchContent = handler('searchContent', {
  reads: ({ params }, { organization }) => queryIndex(organization, params),
  handle: ({ params, query }, context, rows) => {
    let first: typeof rows | undefined = rows;
    return retryIfMerged(async () => {
      const index = first ?? (await runBatch(context.db, queryIndex(context.space.organization, params)));
      first = undefined;
      return searchIndex({ input: query, index, context });
    });
  },
});

/** Returns the queries for everything that a search needs before it reads the index. */
const queryIndex = (
  organization: OrganizationId | Lookup<OrganizationId>,
  { spaceId, changeRequestId }: { spaceId: SpaceId; changeRequestId?: ChangeRequestId | undefined },
) => ({
  segments: readSegments(organization),
  synonyms: readSynonyms(organization),
  heads: readHeads(changeRequestId === undefined ? '[]' : JSON.stringify([spaceId])),
});

interface ContentSearch {
  input: QueryOf<typeof content.searchSpaceContent>;
  index: RowsOf<ReturnType<typeof queryIndex>>;
  context: SearchService & {
    space: Pick<SpaceRecord, 'id' | 'organization'>;
    changeRequest?: { id: string } | undefined;
    point: RevisionPoint;
  };
}

async function searchIndex({ input, index, context }: ContentSearch): Promise<SearchList<SearchPage>> {
  const { db, space, changeRequest, point, urls } = context;
  const { organization } = space;
  const { segments, synonyms, heads } = index;
  const offset = decodeOffset(input.page);
  const limit = Math.min(input.limit, maxPageSize);
  const query = parseQuery(input.query, await parseSynonyms(synonyms));
  if (query.terms.length === 0 || limit === 0) return { count: 0, items: [] };
  const lineage = JSON.stringify(point.lineage);
  const cache = new ResultCache<SearchList<SearchPage>>([space.id, changeRequest?.id, input]);
  const state = [segments, lineage, query.alternatives, query.similarAlternatives, heads];
  const cached = cache.find(state);
  if (cached !== undefined) return cached;
  const [live] = heads;
  const changedPages =
    live &&
    (await loadChangedPages({ db, urls }, organization, { space: space.id, lineage, liveLineage: live.lineage }));
  const isVisibleSpace = (id: string) => id === space.id;
  const searchResult = await findHits(db, query, {
    organization,
    segments,
    isVisibleSpace,
    claims: null,
    changedPages,
  });
  const ranked = JSON.stringify(rankPages(searchResult.hits));
  const shown = readRankedPages(ranked, space.id, lineage, limit, offset);
  const { pages } = await readPages(db, shown, searchResult.hits.slice(offset), { texts: changedPages?.texts });
  const words = new WordMatcher(searchResult.words);
  const list = paginate(pages, limit, {
    item: (page) => presentPage(page, { words, urls }),
    getCursor: () => [offset + limit],
  });
  const result = addCorrection(list, searchResult.correction);
  cache.add(result, pages, { state, spaces: '[]', hits: searchResult.hits });
  return result;
}

const readRankedPages = prepareStatement(
  (ranked: SQL<string>, space: SQL<SpaceId>, lineage: SQL<string>, limit: SQL<number>, offset: SQL<number>) =>
    hitRow.query(sql`
      SELECT ${space} AS space, p.value->>0 AS page, shown.value->>0 AS title, shown.value->>1 AS path, p.value->2 AS sections
      FROM ${selectVisiblePages(ranked, { space, lineage })}
      ORDER BY p.rowid LIMIT ${limit} + 1 OFFSET ${offset}`),
);
