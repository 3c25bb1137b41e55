import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { queryBoolean } from '../list.ts';
import { createHttpUrlSchema } from '../web-address.ts';
import { Claims } from './visitor.ts';

const Address = createHttpUrlSchema({ max: 8192 });
const maxJwtLength = 16 * 1024;
const Jwt = z.string().max(maxJwtLength);

/** The content that a URL of a site resolves to, with a token to read it. */
export const PublishedContent = z
  .object({
    site: z.string(),
    siteSection: z.string().optional(),
    siteSpace: z.string(),
    space: z.string(),
    organization: z.string(),
    changeRequest: z.string().optional(),
    revision: z.string().optional(),
    /** The rest of the path within the space, with a leading slash. */
    pathname: z.string(),
    /** The paths of the space and of the site, each with a leading and a trailing slash. */
    basePath: z.string(),
    siteBasePath: z.string(),
    /** A visitor token for all further requests. */
    apiToken: z.string(),
    shareKey: z.string().optional(),
    /** Whether the whole path resolves to a page. */
    complete: z.boolean(),
    contextId: z.string().optional(),
    canonicalUrl: z.string(),
  })
  .meta({ id: 'PublishedContent' });
export type PublishedContent = z.infer<typeof PublishedContent>;

/** The redirect of a URL. */
export const PublishedRedirect = z
  .object({ target: z.enum(['application', 'content', 'external']), redirect: z.string() })
  .meta({ id: 'PublishedRedirect' });
export type PublishedRedirect = z.infer<typeof PublishedRedirect>;

export const PublishedLookup = z.union([PublishedContent, PublishedRedirect]).meta({ id: 'PublishedLookup' });
export type PublishedLookup = z.infer<typeof PublishedLookup>;

/** A site that a URL can belong to, with the number of path segments that belong to the site's own URL. */
export type SiteCandidate =
  | { by: 'organization'; organization: string; basename: string; depth: number }
  | { by: 'hostname'; hostname: string; depth: 0 }
  | { by: 'proxy'; proxy: string; depth: number };

export const resolutionEndpoints = contract({
  resolvePublishedContentByUrl: {
    method: 'POST',
    path: '/v1/urls/published',
    summary: 'Resolve a URL of a published site',
    access: 'public',
    scope: 'any',
    body: z.object({
      url: Address,
      redirectOnError: z.boolean().default(false),
      visitor: z.object({ jwtToken: Jwt.optional(), unsignedClaims: Claims.optional() }).optional(),
    }),
    response: PublishedLookup,
    success: 200,
    reads: true,
    maxBodyBytes: 64 * 1024,
    errors: ['not_found'],
  },
  getPublishedContentByUrl: {
    method: 'GET',
    path: '/v1/urls/published',
    summary: 'Resolve a URL of a published site (deprecated)',
    access: 'public',
    scope: 'any',
    query: z.object({ url: Address, visitorAuthToken: Jwt.optional(), redirectOnError: queryBoolean(false) }),
    response: PublishedLookup,
    success: 200,
    errors: ['not_found'],
    deprecated: true,
  },
  getSitePublishingPreviewById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/publishing/preview',
    summary: 'Get a preview URL of a site',
    access: { site: 'view' },
    scope: 'unscoped',
    params: z.object({ organizationId: Id, siteId: Id }),
    query: z.object({ siteSpace: Id.optional() }),
    response: z.object({ url: z.string() }),
    success: 200,
    errors: ['not_found'],
  },
});
