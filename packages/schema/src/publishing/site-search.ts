import * as z from 'zod';
import { SearchQuery, SpaceSearchResult, SuggestionList, SuggestionQuery, searchList } from '../content/search.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';

const SiteSpaceIds = z.array(Id).max(500);

/** The scope of a search in a site: the default site space of each section, named site spaces, or all. */
export const SiteSearchScope = z
  .discriminatedUnion('mode', [
    z.object({ mode: z.literal('default'), includedSiteSpaces: SiteSpaceIds.optional() }),
    z.object({ mode: z.literal('specific'), siteSpaceIds: SiteSpaceIds.min(1) }),
    z.object({ mode: z.literal('all') }),
  ])
  .meta({ id: 'SiteSearchScope' });
export type SiteSearchScope = z.infer<typeof SiteSearchScope>;

const { query } = SearchQuery.shape;

/** A search request with a scope, or in the older forms that clients still send. */
const SiteSearchBody = z.union([
  z.object({ query, scope: SiteSearchScope }),
  z.object({ query, mode: z.literal('all') }),
  z.object({ query, mode: z.literal('current'), siteSpaceId: Id }),
  z.object({ query, mode: z.literal('specific').optional(), siteSpaceIds: SiteSpaceIds.min(1) }),
]);
export type SiteSearchBody = z.infer<typeof SiteSearchBody>;

export const siteSearchEndpoints = contract({
  searchSiteContent: {
    byInstallation: 'none',
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/search',
    summary: 'Search a site',
    access: { site: 'view' },
    visitors: 'allowed',
    scope: 'site:read',
    params: z.object({ organizationId: Id, siteId: Id }),
    query: SearchQuery.omit({ query: true }),
    body: SiteSearchBody,
    response: searchList(SpaceSearchResult),
    rate: 'searches',
    reads: true,
    success: 200,
  },
  suggestSiteContent: {
    byInstallation: 'none',
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/search/suggestions',
    summary: 'Suggest titles and headings of a site',
    access: { site: 'view' },
    visitors: 'allowed',
    scope: 'site:read',
    params: z.object({ organizationId: Id, siteId: Id }),
    query: SuggestionQuery.omit({ query: true }),
    body: z.object({ query, scope: SiteSearchScope }),
    response: SuggestionList,
    rate: 'searches',
    reads: true,
    success: 200,
  },
});
