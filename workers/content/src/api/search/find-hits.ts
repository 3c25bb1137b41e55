import type { Database } from '@octavo/db';
import { waitForSlice } from '@octavo/runtime';
import type { Claims, OrganizationId } from '@octavo/schema';
import type {
  Hit,
  IndexedPage,
  Query,
  SearchOptions,
  SearchResult,
  SegmentIndex,
  Suggestion,
  SuggestionResult,
} from '@octavo/search';
import { decodeBits, restrictSegment, search, suggest } from '@octavo/search';
import type { ChangedPages } from '../../engine/search/changed-pages.ts';
import { findReplacedEntries } from '../../engine/search/changed-pages.ts';
import type { StoredSegment } from '../../engine/search/index-store.ts';
import { IndexReader } from '../../engine/search/index-store.ts';
import { isTrue, noIndexMark } from '../../engine/search/sections.ts';

interface SearchedIndex {
  organization: OrganizationId;
  segments: StoredSegment[];
  isVisibleSpace: (id: string) => boolean;
  /** The claims of a visitor; null to ignore conditions. */
  claims: Claims | null;
  /** The changed pages of a change request, in place of their entries in the index. */
  changedPages?: ChangedPages | undefined;
}

/** Maximum number of distinct conditions that one search evaluates. Further conditions count as not met. */
const maxConditions = 2000;

/** Evaluates the conditions of a visitor, each once. */
class VisitorConditions {
  readonly #claims: Claims | null;
  readonly #known = new Map<string, boolean>();

  constructor(claims: Claims | null) {
    this.#claims = claims;
  }

  areMet = (conditions: string[]): boolean => conditions.every((each) => this.#isMet(each));

  #isMet(condition: string): boolean {
    if (condition === noIndexMark) return false;
    if (this.#claims === null) return true;
    const known = this.#known.get(condition);
    if (known !== undefined) return known;
    const isMet = this.#known.size < maxConditions && isTrue(condition, this.#claims);
    this.#known.set(condition, isMet);
    return isMet;
  }
}

/** The conditions of the pages that were found, in JSON; null if conditions are ignored. */
interface MetConditions {
  metConditions: string | null;
}

/** Searches the segments of an index. */
export async function findHits(
  db: Database,
  query: Query,
  searched: SearchedIndex,
): Promise<SearchResult & MetConditions> {
  const result = await search(query, await openSegments(db, searched));
  return { ...result, metConditions: listConditions(result.hits, searched) };
}

/** Finds titles and headings in the segments of an index. */
export async function findSuggestions(
  db: Database,
  query: Query,
  searched: SearchedIndex,
): Promise<SuggestionResult & MetConditions> {
  const result = await suggest(query, await openSegments(db, searched));
  return { ...result, metConditions: listConditions(result.suggestions, searched) };
}

/** Reads the headers of segments, and restricts the segments to the sections that the searcher may see. */
async function openSegments(
  db: Database,
  { organization, segments, isVisibleSpace, claims, changedPages }: SearchedIndex,
): Promise<SearchOptions> {
  const reader = new IndexReader(db, organization);
  await reader.loadHeaders(segments.map(({ id }) => id));
  const conditions = new VisitorConditions(claims);
  const applyVisibility = (id: string, index: SegmentIndex, removed: number[]) =>
    restrictSegment(id, index, { removed, isVisibleSpace, areMet: conditions.areMet });
  const replaced = changedPages && (await findReplacedEntries(reader, segments, changedPages));
  const visible = [
    ...segments.map(({ id, removed }) =>
      applyVisibility(String(id), reader.getHeader(id), [...decodeBits(removed), ...(replaced?.get(id) ?? [])]),
    ),
    ...(changedPages === undefined
      ? []
      : [applyVisibility('changed', reader.addSegment('changed', changedPages.segment), [])]),
  ].filter(({ count }) => count > 0);
  return { segments: visible, blocks: reader, pause: waitForSlice };
}

/**
 * Returns the conditions of pages and their ancestors, in JSON. The searcher meets these conditions, because the search
 * found the pages.
 */
const listConditions = (pages: IndexedPage[], { claims }: SearchedIndex): string | null =>
  claims === null
    ? null
    : JSON.stringify(
        [...new Set(pages.flatMap(({ conditions }) => conditions))].filter((each) => each.startsWith('=')),
      );

/** A page in the ranking: its id, its rank, and the key of its texts with the numbers of its sections. */
type RankedPage = [page: string, rank: number, sections: [key: string, numbers: number[]]];

const toRankedPage = ({ page, key, sections }: Hit, rank: number): RankedPage => [page, rank, [key, sections]];

/** Returns the ranking of the pages of one space. */
export const rankPages = (hits: Hit[]): RankedPage[] => hits.map(toRankedPage);

/** Returns the ranking of pages by space. */
export const rankBySpace = (hits: Hit[]): [space: string, pages: RankedPage[]][] => {
  const ranked = hits.map((hit, rank) => ({ space: hit.space, page: toRankedPage(hit, rank) }));
  const spaces = [...Map.groupBy(ranked, ({ space }) => space)];
  return spaces.map(([space, pages]) => [space, pages.map(({ page }) => page)]);
};

/** Returns the ranking of pages of several spaces. */
export const rankHits = (hits: Hit[]): [space: string, page: string, sections: [key: string, numbers: number[]]][] =>
  hits.map(({ space, page, key, sections }) => [space, page, [key, sections]]);

/**
 * Returns the pages of suggestions, each with the sections of its suggested headings, in the order of their best
 * suggestions.
 */
export const groupByPage = (suggestions: Suggestion[]): Hit[] =>
  [...Map.groupBy(suggestions, ({ space, page }) => `${space}/${page}`).values()].flatMap((ofPage) => {
    const [best] = ofPage;
    return best === undefined ? [] : [{ ...best, sections: ofPage.flatMap(({ section }) => section ?? []) }];
  });
