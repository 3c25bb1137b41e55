import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { RedirectDestination } from './redirect.ts';
import { ShareKeyQuery } from './sites.ts';

/** A redirect that applies to a path: one that was made, or that of a page from where it once was. */
export const FoundRedirect = z
  .object({
    object: z.literal('site-redirect'),
    id: z.string(),
    source: z.string(),
    draft: z.boolean(),
    captureWildcard: z.boolean(),
    permanent: z.boolean(),
    destination: RedirectDestination,
    createdAt: Timestamp,
    updatedAt: Timestamp.optional(),
  })
  .meta({ id: 'FoundRedirect' });
export type FoundRedirect = z.infer<typeof FoundRedirect>;

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
    response: z.object({ redirect: FoundRedirect, target: z.string() }),
    success: 200,
    errors: ['not_found'],
  },
});
