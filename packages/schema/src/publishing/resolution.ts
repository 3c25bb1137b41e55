import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { queryBoolean } from '../list.ts';
import { Claims } from './visitor.ts';

const Address = z.url({ protocol: /^https?$/ }).max(8192);
const maxJwtLength = 16 * 1024;
const Jwt = z.string().max(maxJwtLength);

/** What an address of a site leads to, and a token to read it with. */
export const PublishedContent = z
  .object({
    site: z.string(),
    siteSection: z.string().optional(),
    siteSpace: z.string(),
    space: z.string(),
    organization: z.string(),
    changeRequest: z.string().optional(),
    revision: z.string().optional(),
    /** What is left of the path for the space; begins with a slash. */
    pathname: z.string(),
    /** The path before that, up to the space, and up to the site; each begins and ends with a slash. */
    basePath: z.string(),
    siteBasePath: z.string(),
    /** A token of a visitor, by which all further calls are made. */
    apiToken: z.string(),
    shareKey: z.string().optional(),
    /** Whether the whole path leads to a page. */
    complete: z.boolean(),
    contextId: z.string().optional(),
    canonicalUrl: z.string(),
  })
  .meta({ id: 'PublishedContent' });
export type PublishedContent = z.infer<typeof PublishedContent>;

/** Where an address leads instead. */
export const PublishedRedirect = z
  .object({ target: z.enum(['application', 'content', 'external']), redirect: z.string() })
  .meta({ id: 'PublishedRedirect' });
export type PublishedRedirect = z.infer<typeof PublishedRedirect>;

export const PublishedLookup = z.union([PublishedContent, PublishedRedirect]).meta({ id: 'PublishedLookup' });
export type PublishedLookup = z.infer<typeof PublishedLookup>;

/** What an address may be of: which site, and how many segments of its path belong to the site's own address. */
export type SiteCandidate =
  | { by: 'organization'; organization: string; basename: string; depth: number }
  | { by: 'hostname'; hostname: string; depth: 0 }
  | { by: 'proxy'; proxy: string; depth: number };

export const resolutionEndpoints = contract({
  resolvePublishedContentByUrl: {
    method: 'POST',
    path: '/v1/urls/published',
    summary: 'Tell what an address of a site leads to, and give a token to read it with',
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
    summary: 'Tell what an address of a site leads to',
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
    summary: 'Get an address at which the caller sees a site for an hour, published or not',
    access: { site: 'view' },
    scope: 'unscoped',
    params: z.object({ organizationId: Id, siteId: Id }),
    query: z.object({ siteSpace: Id.optional() }),
    response: z.object({ url: z.string() }),
    success: 200,
    errors: ['not_found'],
  },
});
