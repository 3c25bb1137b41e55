import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';

/** A section of a page, from one heading to the next, that contains the words. `body` is a snippet in plain text. */
export const SearchSection = z
  .object({
    id: z.string(),
    title: z.string(),
    path: z.string(),
    body: z.string(),
    urls: z.object({ app: z.string() }),
  })
  .meta({ id: 'SearchSection' });

export const SearchPage = z
  .object({
    id: z.string(),
    title: z.string(),
    path: z.string(),
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

export const SearchQuery = PageQuery.extend({ query: z.string().max(512) });

export const searchEndpoints = contract({
  searchSpaceContent: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/search',
    summary: 'Search the live content of a space',
    access: { space: 'view' },
    scope: 'space:read',
    params: z.object({ spaceId: Id }),
    query: SearchQuery,
    response: list(SearchPage),
    rate: 'searches',
    success: 200,
  },
});
