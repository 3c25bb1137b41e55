import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { SiteRedirect } from './redirect.ts';
import { ShareKeyQuery } from './sites.ts';

export const redirectLookupEndpoints = contract({
  getSiteRedirectBySource: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/redirect',
    summary: 'Tell where a path of a site leads that is no page, or no more',
    access: { site: 'view' },
    visitors: 'allowed',
    scope: 'site:read',
    params: z.object({ organizationId: Id, siteId: Id }),
    query: ShareKeyQuery.extend({ source: z.string().min(1).max(2048) }),
    response: z.object({ redirect: SiteRedirect, target: z.string() }),
    success: 200,
    errors: ['not_found'],
  },
});
