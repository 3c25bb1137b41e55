import * as z from 'zod';
import { MergeRules } from '../collaboration/merge-rules.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { OrganizationPermissions } from '../rights.ts';
import { Role } from '../roles.ts';
import { createLineSchema } from '../text.ts';
import { Timestamp } from '../time.ts';
import { createHttpUrlSchema } from '../web-address.ts';

const Hostname = z
  .string()
  .min(3)
  .max(32)
  .regex(/^[a-z0-9][a-z0-9-]*[a-z0-9]$/, 'must contain only lowercase letters and digits, with hyphens between them');
const EmailDomain = z
  .string()
  .max(253)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, 'must be a lowercase domain name');
const EmailDomains = z
  .array(EmailDomain)
  .max(100)
  .overwrite((domains) => [...new Set(domains)]);
export const OrganizationTitle = createLineSchema(2, 255);
export const DefaultContent = z.object({ type: z.literal('site'), site: Id });

export const Organization = z
  .object({
    object: z.literal('organization'),
    id: z.string(),
    title: OrganizationTitle,
    createdAt: Timestamp,
    emailDomains: z.array(z.string()),
    hostname: Hostname.optional(),
    type: z.enum(['business', 'community']),
    useCase: z
      .enum([
        'internalDocs',
        'docsSite',
        'audienceControlledSite',
        'productDocs',
        'teamKnowledgeBase',
        'designSystem',
        'openSourceDocs',
        'notes',
        'other',
      ])
      .optional(),
    communityType: z.enum(['nonProfit', 'openSource', 'education']).optional(),
    defaultRole: Role.nullable().optional(),
    defaultContent: DefaultContent.optional(),
    sso: z.boolean().optional(),
    ai: z.boolean().optional(),
    inviteLinks: z.boolean(),
    mergeRules: MergeRules.optional(),
    plan: z.enum(['free_2024', 'plus_2024', 'pro_2024', 'enterprise_2024', 'community_2024']),
    billing: z
      .object({
        interval: z.enum(['monthly', 'yearly']),
        endDate: Timestamp.nullable().optional(),
        hasPaymentFailed: z.boolean().optional(),
        isScheduledToCancel: z.boolean().optional(),
      })
      .optional(),
    urls: z.object({ location: z.string(), app: z.string(), logo: z.string().optional() }),
    trial: z.object({
      status: z.enum(['notapplicable', 'none', 'active', 'ended', 'expired']),
      count: z.number().int(),
      endDate: Timestamp.optional(),
      decision: z.literal('downgrade').optional(),
    }),
    customHostname: z.string().optional(),
    blocked: z.object({ reason: z.literal('security') }).optional(),
    internal_billingMigration: z
      .object({ deadline: Timestamp, discountPercent: z.number(), discountEndDate: Timestamp })
      .optional(),
    internal_isOnNewTrial: z.literal(true).optional(),
    permissions: OrganizationPermissions,
  })
  .meta({ id: 'Organization' });
export type Organization = z.infer<typeof Organization>;

const params = z.object({ organizationId: Id });

export const organizationEndpoints = contract({
  createOrganization: {
    method: 'POST',
    path: '/v1/orgs',
    summary: 'Create an organization',
    access: 'account',
    scope: 'organization:write',
    body: z.object({ title: OrganizationTitle, emailDomains: EmailDomains.default([]) }),
    response: Organization,
    success: 201,
  },
  listOrganizationsForAuthenticatedUser: {
    method: 'GET',
    path: '/v1/orgs',
    summary: 'List the organizations of the caller',
    access: 'user',
    scope: 'organization:read',
    query: PageQuery,
    response: list(Organization),
    success: 200,
  },
  getOrganizationById: {
    byInstallation: 'any',
    method: 'GET',
    path: '/v1/orgs/:organizationId',
    summary: 'Get an organization',
    access: { organization: 'view', signIn: 'any' },
    scope: 'any',
    params,
    response: Organization,
    success: 200,
  },
  updateOrganizationById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId',
    summary: 'Change the settings of an organization',
    access: { organization: 'admin' },
    scope: 'organization:write',
    params,
    body: z
      .object({
        title: OrganizationTitle.optional(),
        emailDomains: EmailDomains.optional(),
        hostname: Hostname.optional(),
        defaultRole: Role.nullable().optional(),
        defaultContent: DefaultContent.nullable().optional(),
        logo: createHttpUrlSchema().nullable().optional(),
        sso: z.boolean().optional(),
        ai: z.boolean().optional(),
        inviteLinks: z.boolean().optional(),
        mergeRules: MergeRules.optional(),
      })
      .prefault({}),
    response: Organization,
    success: 200,
    errors: ['conflict', 'precondition_failed'],
  },
});

const EmailDomainParam = z
  .string()
  .max(253)
  .regex(/^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,63}$/, 'must be a domain name')
  .toLowerCase();

/**
 * Users who are not members see only what they need to join or sign in: no settings, and no e-mail domains except the
 * requested one.
 */
export const emailDomainEndpoints = contract({
  getOrganizationsForEmailDomain: {
    method: 'GET',
    path: '/v1/email-domains/:emailDomain/orgs',
    summary: 'List the organizations of an e-mail domain',
    access: 'user',
    scope: 'unscoped',
    params: z.object({ emailDomain: EmailDomainParam }),
    response: z.object({ organizations: z.array(Organization) }),
    success: 200,
  },
});

const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/);

export const Subdomain = z
  .object({
    object: z.literal('subdomain'),
    subdomain: z.string(),
    target: z.object({ type: z.literal('organization'), organization: z.string() }),
    isActive: z.boolean(),
  })
  .meta({ id: 'Subdomain' });
export type Subdomain = z.infer<typeof Subdomain>;

export const subdomainEndpoints = contract({
  getSubdomain: {
    method: 'GET',
    path: '/v1/subdomains/:subdomain',
    summary: 'Get the organization of a hostname',
    access: 'user',
    scope: 'unscoped',
    params: z.object({ subdomain: Name }),
    response: Subdomain,
    success: 200,
    errors: ['not_found'],
  },
});
