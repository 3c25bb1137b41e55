import * as z from 'zod';
import { SearchQuery, SpaceSearchResult, searchList } from '../content/search.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';

export const organizationSearchEndpoints = contract({
  searchOrganizationContent: {
    byInstallation: ['space:content:read', 'space:content:write'],
    method: 'GET',
    path: '/v1/orgs/:organizationId/search',
    summary: 'Search an organization',
    access: { organization: 'view' },
    scope: 'organization:search',
    params: z.object({ organizationId: Id }),
    query: SearchQuery,
    response: searchList(SpaceSearchResult),
    rate: 'searches',
    success: 200,
  },
});
