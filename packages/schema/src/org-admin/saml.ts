import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Role } from '../roles.ts';
import { createLineSchema } from '../text.ts';
import { Timestamp } from '../time.ts';
import { createHttpUrlSchema } from '../web-address.ts';
import { Team } from './team.ts';

const Label = createLineSchema(1, 30);
const EntityId = z.string().trim().max(1024);
const Certificate = z.string().max(10_000);

/**
 * A SAML identity provider. It is `pending` until URL, entity id and certificate are set; unset fields are empty
 * strings.
 */
export const SamlProvider = z
  .object({
    object: z.literal('saml-provider'),
    id: z.string(),
    label: Label,
    ssoURL: z.string().max(2048),
    entityID: EntityId,
    certificate: Certificate,
    defaultTeam: Team.optional(),
    defaultRole: Role.nullable(),
    createdAt: Timestamp,
    status: z.enum(['active', 'pending']),
    service: z.object({ acsURL: z.string(), startURL: z.string(), entityID: z.string() }),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'SamlProvider' });
export type SamlProvider = z.infer<typeof SamlProvider>;

export const SsoLogin = z.object({ id: z.string(), label: z.string(), startURL: z.string() }).meta({ id: 'SsoLogin' });
export type SsoLogin = z.infer<typeof SsoLogin>;

const settings = {
  entityID: EntityId.optional(),
  certificate: Certificate.optional(),
  ssoURL: createHttpUrlSchema().optional(),
  defaultTeam: Id.nullable().optional(),
  defaultRole: Role.nullable().optional(),
};

const organizationParams = z.object({ organizationId: Id });
const params = organizationParams.extend({ samlProviderId: Id });

export const samlEndpoints = contract({
  listSAMLProvidersInOrganizationById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/saml',
    summary: 'List the SAML providers of an organization',
    access: { organization: 'admin' },
    scope: 'unscoped',
    params: organizationParams,
    query: PageQuery,
    response: list(SamlProvider),
    success: 200,
  },
  createOrganizationSAMLProvider: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/saml',
    summary: 'Create a SAML provider',
    access: { organization: 'admin' },
    scope: 'unscoped',
    params: organizationParams,
    body: z.object({ label: Label, ...settings }),
    response: SamlProvider,
    success: 201,
    errors: ['conflict'],
  },
  getOrganizationSAMLProviderById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/saml/:samlProviderId',
    summary: 'Get a SAML provider',
    access: { organization: 'admin' },
    scope: 'unscoped',
    params,
    response: SamlProvider,
    success: 200,
  },
  updateOrganizationSAMLProvider: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/saml/:samlProviderId',
    summary: 'Change a SAML provider',
    access: { organization: 'admin' },
    scope: 'unscoped',
    params,
    body: z.object({ label: Label.optional(), ...settings }).prefault({}),
    response: SamlProvider,
    success: 200,
    errors: ['precondition_failed'],
  },
  deleteOrganizationSAMLProvider: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/saml/:samlProviderId',
    summary: 'Delete a SAML provider',
    access: { organization: 'admin' },
    scope: 'unscoped',
    params,
    success: 204,
    errors: ['precondition_failed'],
  },
  listSSOProviderLoginsInOrganization: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sso',
    summary: 'List the SSO providers that members can sign in with',
    access: { organization: 'view', signIn: 'any' },
    scope: 'any',
    params: organizationParams,
    response: z.object({ items: z.array(SsoLogin) }),
    success: 200,
  },
});
