import * as z from 'zod';
import { SearchQuery, SpaceSearchResult, SuggestionList, SuggestionQuery, searchList } from '../content/search.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { createLineSchema } from '../text.ts';

/** Maximum number of words of a synonym. */
export const maxSynonymWords = 3;

/** Words and phrases with the same meaning. A search for one of them also finds the pages that contain another one. */
export const SynonymGroup = z
  .object({ synonyms: z.array(createLineSchema(1, 60)).min(2).max(10) })
  .meta({ id: 'SynonymGroup' });
export const SynonymGroups = z.array(SynonymGroup).max(200);
export type SynonymGroups = z.infer<typeof SynonymGroups>;

export const SearchSynonyms = z
  .object({
    object: z.literal('search-synonyms'),
    groups: z.array(SynonymGroup),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'SearchSynonyms' });
export type SearchSynonyms = z.infer<typeof SearchSynonyms>;

const params = z.object({ organizationId: Id });

export const organizationSearchEndpoints = contract({
  searchOrganizationContent: {
    byInstallation: ['space:content:read', 'space:content:write'],
    method: 'GET',
    path: '/v1/orgs/:organizationId/search',
    summary: 'Search an organization',
    access: { organization: 'view' },
    scope: 'organization:search',
    params,
    query: SearchQuery,
    response: searchList(SpaceSearchResult),
    rate: 'searches',
    success: 200,
  },
  suggestOrganizationContent: {
    byInstallation: ['space:content:read', 'space:content:write'],
    method: 'GET',
    path: '/v1/orgs/:organizationId/search/suggestions',
    summary: 'Suggest titles and headings of an organization',
    access: { organization: 'view' },
    scope: 'organization:search',
    params,
    query: SuggestionQuery,
    response: SuggestionList,
    rate: 'searches',
    success: 200,
  },
  /** An extension of the GitBook API. */
  getSearchSynonyms: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/search/synonyms',
    summary: 'Get the synonyms of an organization',
    access: { organization: 'view' },
    scope: 'organization:read',
    params,
    response: SearchSynonyms,
    success: 200,
  },
  /** An extension of the GitBook API. */
  updateSearchSynonyms: {
    method: 'PUT',
    path: '/v1/orgs/:organizationId/search/synonyms',
    summary: 'Replace the synonyms of an organization',
    access: { organization: 'admin' },
    scope: 'organization:write',
    params,
    body: z.object({ groups: SynonymGroups }),
    response: SearchSynonyms,
    success: 200,
  },
});
