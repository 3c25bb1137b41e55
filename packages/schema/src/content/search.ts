import * as z from 'zod';
import type { List } from '../list.ts';
import { list, PageQuery, queryLimit } from '../list.ts';
import { createPointEndpoints } from '../points.ts';

/** Ranges of characters: the index of the first character, and the index after the last character. */
const MatchRanges = z.array(z.tuple([z.number().int(), z.number().int()]));

/** A section of a page, from one heading to the next, that contains the words. `body` is a snippet in plain text. */
export const SearchSection = z
  .object({
    id: z.string(),
    title: z.string(),
    path: z.string(),
    body: z.string(),
    matches: z.object({ title: MatchRanges, body: MatchRanges }),
    urls: z.object({ app: z.string() }),
  })
  .meta({ id: 'SearchSection' });
export type SearchSection = z.infer<typeof SearchSection>;

export const SearchPage = z
  .object({
    id: z.string(),
    title: z.string(),
    path: z.string(),
    matches: z.object({ title: MatchRanges }),
    sections: z.array(SearchSection).optional(),
    urls: z.object({ app: z.string() }),
  })
  .meta({ id: 'SearchPage' });
export type SearchPage = z.infer<typeof SearchPage>;

/** The pages of one space that contain the words. */
export const SpaceSearchResult = z
  .object({ id: z.string(), title: z.string(), pages: z.array(SearchPage) })
  .meta({ id: 'SpaceSearchResult' });
export type SpaceSearchResult = z.infer<typeof SpaceSearchResult>;

/** A list of search results. `correctedQuery` is the probable query if words of the original one were not found. */
export const searchList = <Item extends z.ZodType>(item: Item) =>
  list(item).extend({ correctedQuery: z.string().optional() });
export type SearchList<Item> = List<Item> & { correctedQuery?: string | undefined };

const PageOrSpace = z.object({ id: z.string(), title: z.string() });

/** A page whose title contains the words, or a heading of a page that contains them. */
export const SearchSuggestion = z
  .object({
    id: z.string(),
    title: z.string(),
    path: z.string(),
    page: PageOrSpace,
    space: PageOrSpace,
    matches: z.object({ title: MatchRanges }),
    urls: z.object({ app: z.string() }),
  })
  .meta({ id: 'SearchSuggestion' });
export type SearchSuggestion = z.infer<typeof SearchSuggestion>;

/** The suggestions for a query. `correctedQuery` is the probable query if words of the original one were not found. */
export const SuggestionList = z.object({
  items: z.array(SearchSuggestion),
  correctedQuery: z.string().optional(),
});
export type SuggestionList = z.infer<typeof SuggestionList>;

const [maxSuggestions, defaultSuggestions] = [20, 8];

export const SuggestionQuery = z.object({
  query: z.string().max(512),
  limit: queryLimit(maxSuggestions, defaultSuggestions),
});

export const SearchQuery = PageQuery.extend({ query: z.string().max(512) });

export const searchEndpoints = createPointEndpoints({
  searchContent: {
    method: 'GET',
    path: '/search',
    scope: 'space:read',
    query: SearchQuery,
    response: searchList(SearchPage),
    rate: 'searches',
    success: 200,
    at: {
      live: { id: 'searchSpaceContent', summary: 'Search the live content of a space' },
      changeRequest: { id: 'searchChangeRequestContent', summary: 'Search the content of a change request' },
    },
  },
});
