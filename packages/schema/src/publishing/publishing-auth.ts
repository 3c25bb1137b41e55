import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { webAddress } from '../web-address.ts';

const AuthBackend = z.enum(['custom', 'integration']);
const IntegrationName = z.string().min(1).max(100);

/** The authentication of a site's visitors. */
export const PublishingAuth = z
  .object({
    object: z.literal('publishing-auth'),
    backend: AuthBackend,
    privateKey: z.string(),
    fallbackURL: webAddress.optional(),
    integration: IntegrationName.optional(),
  })
  .meta({ id: 'PublishingAuth' });
export type PublishingAuth = z.infer<typeof PublishingAuth>;

const params = z.object({ organizationId: Id, siteId: Id });

export const publishingAuthEndpoints = contract({
  getSitePublishingAuthById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/publishing/auth',
    summary: 'Get the visitor authentication of a site',
    access: { site: 'manage' },
    scope: 'site:auth:read',
    params,
    response: PublishingAuth,
    success: 200,
    secret: true,
  },
  updateSitePublishingAuthById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/sites/:siteId/publishing/auth',
    summary: 'Change the visitor authentication of a site',
    access: { site: 'manage' },
    scope: 'site:auth:write',
    params,
    body: z
      .object({
        backend: AuthBackend.optional(),
        integration: IntegrationName.nullable().optional(),
        fallbackURL: webAddress.nullable().optional(),
      })
      .prefault({}),
    response: PublishingAuth,
    success: 200,
    secret: true,
  },
  regenerateSitePublishingAuthById: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/sites/:siteId/publishing/auth/regenerate',
    summary: 'Regenerate the private key for visitor tokens',
    access: { site: 'manage' },
    scope: 'site:auth:write',
    params,
    response: PublishingAuth,
    success: 200,
    secret: true,
  },
});
