import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { queryFilter } from '../query.ts';
import { lineOfText } from '../text.ts';
import { webAddress } from '../web-address.ts';
import {
  ContentSecurityPolicy,
  ExternalLink,
  Integration,
  IntegrationBlock,
  IntegrationCategory,
  IntegrationConfigurations,
  IntegrationContentSource,
  IntegrationEvents,
  IntegrationName,
  IntegrationScope,
  IntegrationTarget,
  IntegrationVisibility,
} from './integration.ts';

export * from './integration.ts';

/** The blocks of an integration. */
const IntegrationBlocksOf = z
  .object({ name: IntegrationName, blocks: z.array(IntegrationBlock) })
  .meta({ id: 'SpaceIntegrationBlocks' });

/** The largest script, in bytes of UTF-8. */
export const maxScriptBytes = 5 * 1024 * 1024;
export const maxIconBytes = 256 * 1024;
export const maxPreviewBytes = 1024 * 1024;
const maxSecrets = 20;

/** An image in base64, of so many bytes at most. */
const image = (bytes: number) =>
  z
    .base64(`must be base64`)
    .min(4)
    .max(Math.ceil(bytes / 3) * 4);

const unique = <Item>(items: Item[]): Item[] => [...new Set(items)];

/** So much is stored of each list, and of the configurations, as JSON. */
const maxStoredLength = 32 * 1024;

const isStorable = (value: unknown): boolean => JSON.stringify(value).length <= maxStoredLength;
const tooLong = `must take at most ${maxStoredLength} characters as JSON`;

/** A list without two of one id. */
const apart = <Item extends z.ZodType<{ id: string }>>(item: Item) =>
  z
    .array(item)
    .max(100)
    .refine((items) => new Set(items.map(({ id }) => id)).size === items.length, 'must not hold two of one id')
    .refine(isStorable, tooLong);

const maxShownBytes = 64 * 1024;

/** What is read of an integration wherever it is listed, which everybody waits for who reads such a list. */
const isListable = ({ script: _, secrets: __, icon: ___, previewImages: ____, ...shown }: object & Hidden): boolean =>
  new TextEncoder().encode(JSON.stringify(shown)).length <= maxShownBytes;
type Hidden = Partial<Record<'script' | 'secrets' | 'icon' | 'previewImages', unknown>>;

const PublishedFields = z.object({
  runtime: z.enum(['v1', 'v2']).default('v1'),
  icon: image(maxIconBytes).optional().meta({ description: 'A PNG, JPEG, GIF or WebP in base64.' }),
  title: lineOfText(2, 30),
  description: z.string().max(100),
  summary: z.string().max(2048).optional(),
  previewImages: z.array(image(maxPreviewBytes)).max(3).default([]),
  visibility: IntegrationVisibility.default('private'),
  target: IntegrationTarget.default('all'),
  scopes: z.array(IntegrationScope).max(50).default([]).overwrite(unique),
  categories: z.array(IntegrationCategory).max(20).default([]).overwrite(unique),
  blocks: apart(IntegrationBlock).optional(),
  contentSources: apart(IntegrationContentSource).optional(),
  externalLinks: z.array(ExternalLink).max(5).default([]),
  configurations: IntegrationConfigurations.refine(isStorable, tooLong).optional(),
  script: z
    .string()
    .min(1)
    .max(maxScriptBytes)
    .refine(
      (text) => new TextEncoder().encode(text).length <= maxScriptBytes,
      `must have up to ${maxScriptBytes} bytes`,
    ),
  organization: Id.meta({ description: 'Id or subdomain of the organization that publishes.' }),
  secrets: z
    .record(z.string().min(1).max(100), z.string().max(8192))
    .refine((secrets) => Object.keys(secrets).length <= maxSecrets, `must hold at most ${maxSecrets} secrets`)
    .optional()
    .meta({ description: 'Left out: those of the version before are kept. `{}` clears them.' }),
  contentSecurityPolicy: ContentSecurityPolicy.optional(),
  events: IntegrationEvents.optional().meta({
    description: 'Our extension: the types of events that it wants. Left out: all that its scopes allow.',
  }),
  webhook: webAddress
    .optional()
    .meta({ description: 'Our extension: an address that events of its installations are posted to.' }),
});
const PublishIntegration = PublishedFields.refine(
  isListable,
  `must take at most ${maxShownBytes} bytes as JSON, without the script, the secrets and the images`,
);
export type PublishIntegration = z.infer<typeof PublishIntegration>;

const params = z.object({ integrationName: IntegrationName });

/** How lists of integrations are narrowed. */
const IntegrationFilters = PageQuery.extend({
  search: z.string().max(256).optional().meta({ description: 'A part of the name or the title, in any case.' }),
  category: IntegrationCategory.optional(),
  blockDomain: IntegrationName.optional().meta({ description: 'A domain whose addresses become one of its blocks.' }),
  blocks: queryFilter,
  contentSources: queryFilter,
  owner: Id.optional().meta({ description: 'Id or subdomain of the organization that it is of.' }),
  scope: IntegrationScope.optional(),
  target: IntegrationTarget.optional(),
});
export type IntegrationFilters = z.infer<typeof IntegrationFilters>;

const Searched = PageQuery.extend({ search: IntegrationFilters.shape.search });

const byAnyBearer = { byIntegration: true, byInstallation: 'any' } as const;

export const integrationEndpoints = contract({
  listIntegrations: {
    method: 'GET',
    path: '/v1/integrations',
    summary: 'List the public integrations, and the others of the organizations of the caller',
    access: 'user',
    scope: 'any',
    ...byAnyBearer,
    query: IntegrationFilters,
    response: list(Integration),
    success: 200,
  },
  listOrganizationIntegrations: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/integrations',
    summary: 'List the integrations that an organization may install: the public ones and its own',
    access: { organization: 'listIntegrations' },
    scope: 'integration:read',
    params: z.object({ organizationId: Id }),
    query: IntegrationFilters,
    response: list(Integration),
    success: 200,
  },
  listSpaceIntegrations: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/integrations',
    summary: 'List the integrations that are installed on a space',
    access: { space: 'view' },
    scope: 'space:read',
    params: z.object({ spaceId: Id }),
    query: Searched,
    response: list(Integration),
    success: 200,
  },
  listSpaceIntegrationsBlocks: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/integration-blocks',
    summary: 'List the blocks that integrations bring to a space',
    access: { space: 'view' },
    scope: 'space:read',
    params: z.object({ spaceId: Id }),
    response: z.array(IntegrationBlocksOf),
    success: 200,
  },
  listSiteIntegrations: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/integrations',
    summary: 'List the integrations that are installed on a site',
    access: { site: 'view' },
    scope: 'site:read',
    params: z.object({ organizationId: Id, siteId: Id }),
    query: Searched,
    response: list(Integration),
    success: 200,
  },
  getIntegrationByName: {
    method: 'GET',
    path: '/v1/integrations/:integrationName',
    summary: 'Get an integration',
    access: { integration: 'view' },
    scope: 'any',
    ...byAnyBearer,
    params,
    response: Integration,
    success: 200,
  },
  /** That the name is of no other organization, the handler checks. */
  publishIntegration: {
    method: 'POST',
    path: '/v1/integrations/:integrationName',
    summary: 'Publish an integration, or a new version of it',
    access: 'user',
    scope: 'integration:publish',
    params,
    body: PublishIntegration,
    targets: { organization: { organization: 'admin', bySubdomain: true } },
    response: Integration,
    success: 200,
    errors: ['conflict'],
    maxBodyBytes: 16 * 1024 * 1024,
  },
  unpublishIntegration: {
    method: 'DELETE',
    path: '/v1/integrations/:integrationName',
    summary: 'Unpublish an integration: it is uninstalled wherever it is',
    access: { integration: 'admin' },
    scope: 'integration:delete',
    params,
    success: 204,
  },
});
