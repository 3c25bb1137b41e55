import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery, queryBoolean, queryWords } from '../list.ts';
import { RedirectDestination, RedirectSource, SiteRedirect } from './redirect.ts';

export * from './redirect.ts';

export const maxBulkRedirects = 500;

const ChangeRedirect = z.object({
  source: RedirectSource,
  captureWildcard: z.boolean().default(false),
  draft: z.boolean().default(false),
  permanent: z.boolean().default(false),
  destination: RedirectDestination,
});

/** What becomes of a redirect, by its source: it is set, deleted where its destination is null, or a draft goes live. */
export const BulkRedirect = z
  .union([
    z.object({ source: RedirectSource, intent: z.literal('publish') }),
    z.object({
      source: RedirectSource,
      intent: z.enum(['live', 'draft']).default('live'),
      captureWildcard: z.boolean().optional(),
      permanent: z.boolean().optional(),
      destination: RedirectDestination.nullable(),
    }),
  ])
  .meta({ id: 'BulkRedirect' });
export type BulkRedirect = z.infer<typeof BulkRedirect>;

export const BulkRedirectResult = z
  .object({
    status: z.enum(['created', 'updated', 'deleted', 'published']),
    source: z.string(),
    draft: z.boolean(),
    id: z.string().optional(),
  })
  .meta({ id: 'BulkRedirectResult' });
export type BulkRedirectResult = z.infer<typeof BulkRedirectResult>;

const siteParams = z.object({ organizationId: Id, siteId: Id });
const params = siteParams.extend({ siteRedirectId: Id });

export const redirectEndpoints = contract({
  listSiteRedirects: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/redirects',
    summary: 'List the redirects of a site, the newest first',
    access: { site: 'view' },
    scope: 'site:read',
    params: siteParams,
    query: PageQuery.extend({ search: queryWords(512), draft: queryBoolean(false) }),
    response: list(SiteRedirect),
    success: 200,
  },
  createSiteRedirect: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/redirects',
    summary: 'Make an address of a site lead elsewhere',
    access: { site: 'manage' },
    scope: 'site:write',
    params: siteParams,
    body: ChangeRedirect,
    response: SiteRedirect,
    success: 201,
    errors: ['conflict'],
  },
  bulkUpsertSiteRedirects: {
    method: 'PUT',
    path: '/v1/orgs/:organizationId/sites/:siteId/redirects',
    summary: 'Set, delete or publish many redirects at once: all of them, or none',
    access: { site: 'manage' },
    scope: 'site:write',
    params: siteParams,
    body: z.object({ redirects: z.array(BulkRedirect).min(1).max(maxBulkRedirects) }),
    response: z.object({ results: z.array(BulkRedirectResult) }),
    success: 200,
    errors: ['conflict'],
    maxBodyBytes: 4 * 1024 * 1024,
  },
  getSiteRedirectById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/redirects/:siteRedirectId',
    summary: 'Get a redirect of a site',
    access: { site: 'view' },
    scope: 'site:read',
    params,
    response: SiteRedirect,
    success: 200,
  },
  updateSiteRedirectById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/sites/:siteId/redirects/:siteRedirectId',
    summary: 'Change a redirect of a site',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    body: z
      .object({
        source: RedirectSource.optional(),
        captureWildcard: z.boolean().optional(),
        draft: z.boolean().optional(),
        permanent: z.boolean().optional(),
        destination: RedirectDestination.optional(),
      })
      .prefault({}),
    response: SiteRedirect,
    success: 200,
    errors: ['conflict'],
  },
  deleteSiteRedirectById: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/sites/:siteId/redirects/:siteRedirectId',
    summary: 'Delete a redirect of a site',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    success: 205,
  },
});
