import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery, queryBoolean, queryWords } from '../list.ts';
import { Timestamp } from '../time.ts';
import { webAddress } from '../web-address.ts';
import { ShareKeyQuery } from './site.ts';

export const maxSourceLength = 512;
const maxAnchorLength = 256;

/** The destination of a redirect. */
export const RedirectDestination = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('site-section'), siteSectionId: Id }),
    z.object({ kind: z.literal('site-space'), siteSpaceId: Id }),
    z.object({
      ...{ kind: z.literal('site-page'), siteSpaceId: Id, pageId: Id },
      anchor: z.string().min(1).max(maxAnchorLength).optional(),
    }),
    z.object({ kind: z.literal('external'), url: webAddress }),
  ])
  .meta({ id: 'RedirectDestination' });
export type RedirectDestination = z.infer<typeof RedirectDestination>;

const sourcePath = /^(?:\/(?:[A-Za-z0-9\-._~+]|%[0-9A-Fa-f]{2})+)+(?:\/\*)?$/;

/** A path of a site. With `/*` at its end, it matches all paths below it. */
export const RedirectSource = z
  .string()
  .max(maxSourceLength)
  .regex(sourcePath, 'must be a path that starts with a slash and may end with /*')
  .refine(
    (source) => toRedirectPath(source.replace(/\/\*$/, '')).length <= maxSourceLength,
    'is too long when URL-encoded',
  )
  .meta({ id: 'RedirectSource' });

/** Returns the stored form of a source, without the wildcard. */
export const toStoredSource = (source: string): { source: string; wildcard: boolean } => ({
  source: toRedirectPath(source.replace(/\/\*$/, '')),
  wildcard: source.endsWith('/*'),
});

/** A redirect that a user created. Lookups also return redirects from the former path of a page. */
export const SiteRedirect = z
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
  .meta({ id: 'SiteRedirect' });
export type SiteRedirect = z.infer<typeof SiteRedirect>;

/** Returns the segments of a site path in canonical form, without unnecessary percent-encoding, for comparison. */
const getSegments = (path: string): string[] =>
  path
    .split('/')
    .filter((part) => part !== '')
    .map((part) =>
      encodeURIComponent(decodeSegment(part))
        .replace(/[!'()*]/g, escapeSegment)
        .replaceAll('%2B', '+'),
    );

const escapeSegment = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part).toWellFormed();
  } catch {
    return part.toWellFormed();
  }
}

/** Returns the stored form of a source: relative to the site, with a leading slash and without a trailing one. */
export const toRedirectPath = (path: string): string => `/${getSegments(path).join('/')}`;

export const maxBulkRedirects = 500;

const ChangeRedirect = z.object({
  source: RedirectSource,
  captureWildcard: z.boolean().default(false),
  draft: z.boolean().default(false),
  permanent: z.boolean().default(false),
  destination: RedirectDestination,
});

/** A change to the redirect with this source. A null destination deletes it; `publish` makes a draft live. */
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
    summary: 'List the redirects of a site',
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
    summary: 'Create a redirect',
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
    summary: 'Change many redirects at once',
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
    summary: 'Get a redirect',
    access: { site: 'view' },
    scope: 'site:read',
    params,
    response: SiteRedirect,
    success: 200,
  },
  updateSiteRedirectById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/sites/:siteId/redirects/:siteRedirectId',
    summary: 'Change a redirect',
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
    summary: 'Delete a redirect',
    access: { site: 'manage' },
    scope: 'site:write',
    params,
    success: 205,
  },
});

export const redirectLookupEndpoints = contract({
  getSiteRedirectBySource: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/redirect',
    summary: 'Find the redirect of a path',
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
