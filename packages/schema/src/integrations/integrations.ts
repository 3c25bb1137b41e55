import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Organization } from '../org-admin/organizations.ts';
import { queryFilter } from '../query.ts';
import { createLineSchema, describeBytes } from '../text.ts';
import { webAddress } from '../web-address.ts';
import { createDeliveredType, deliveredTypes } from './event-types.ts';
import { IntegrationScope } from './integration-scope.ts';

export const IntegrationName = z
  .string()
  .max(100)
  .regex(/^[a-zA-Z0-9-_.]+$/, 'must contain only letters, digits, hyphens, underscores and dots');

export const IntegrationEvents = z
  .array(createDeliveredType())
  .max(deliveredTypes.length)
  .meta({ id: 'IntegrationEvents' });

/** The kind of object on which an integration can be installed. */
export const IntegrationTarget = z.enum(['all', 'site', 'space', 'organization']).meta({ id: 'IntegrationTarget' });
export type IntegrationTarget = z.infer<typeof IntegrationTarget>;

/**
 * The users who can find an integration. `private`: the owner's members; `unlisted`: users who know the name; `public`:
 * all users.
 */
export const IntegrationVisibility = z.enum(['private', 'unlisted', 'public']).meta({ id: 'IntegrationVisibility' });
export type IntegrationVisibility = z.infer<typeof IntegrationVisibility>;

export const IntegrationCategory = z
  .enum(['analytics', 'collaboration', 'content', 'gitsync', 'marketing', 'visitor-auth', 'other'])
  .meta({ id: 'IntegrationCategory' });
export type IntegrationCategory = z.infer<typeof IntegrationCategory>;

const ComponentId = z.string().min(1).max(100);
const Component = z.object({ componentId: ComponentId });

/** A block that an integration adds to the editor. Its id names the component that renders it. */
export const IntegrationBlock = z
  .object({
    id: ComponentId,
    title: z.string().min(2).max(40),
    description: z.string().max(150).optional(),
    icon: z.string().max(2048).optional(),
    urlUnfurl: z.array(z.string().max(512)).max(100).optional(),
    markdown: z.object({ codeblock: z.string().max(100), body: z.string().max(100) }).optional(),
  })
  .meta({ id: 'IntegrationBlock' });
export type IntegrationBlock = z.infer<typeof IntegrationBlock>;

/** A content source from which an integration generates pages. */
export const IntegrationContentSource = z
  .object({
    id: ComponentId,
    title: z.string().min(2).max(40),
    description: z.string().max(150).optional(),
    icon: z.string().max(2048).optional(),
    configuration: Component,
  })
  .meta({ id: 'IntegrationContentSource' });
export type IntegrationContentSource = z.infer<typeof IntegrationContentSource>;

const label = { title: z.string().min(2).max(50).optional(), description: z.string().max(100).optional() };
const Address = z.string().max(2048);

/** Strict, because a misspelled `secret` would make the value visible to all users. */
export const ConfigurationProperty = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        ...label,
        type: z.literal('string'),
        default: z.string().max(2048).optional(),
        completion_url: Address.optional(),
        enum: z.array(z.string().max(256)).max(200).optional(),
        secret: z.boolean().optional(),
      })
      .refine((property) => property.default === undefined || (property.enum?.includes(property.default) ?? true), {
        path: ['default'],
        message: 'must be one of the values of enum',
      }),
    z.strictObject({ ...label, type: z.literal('number'), default: z.number().optional() }),
    z.strictObject({ ...label, type: z.literal('boolean'), default: z.boolean().optional() }),
    z.strictObject({
      ...label,
      type: z.literal('button'),
      callback_url: Address,
      button_text: z.string().max(100),
    }),
  ])
  .meta({ id: 'ConfigurationProperty' });
export type ConfigurationProperty = z.infer<typeof ConfigurationProperty>;

const maxProperties = 100;

/**
 * The configuration that an installation requires: a list of properties, or a component of the integration that
 * collects it.
 */
export const IntegrationConfiguration = z
  .union([
    z.object({
      properties: z
        .record(z.string().min(1).max(100), ConfigurationProperty)
        .refine((all) => Object.keys(all).length <= maxProperties, `must have at most ${maxProperties} properties`),
      required: z
        .array(z.string().max(100))
        .max(maxProperties)
        .refine((names) => new Set(names).size === names.length, 'must not repeat a property')
        .optional(),
    }),
    Component,
  ])
  .meta({ id: 'IntegrationConfiguration' });
export type IntegrationConfiguration = z.infer<typeof IntegrationConfiguration>;

export const IntegrationConfigurations = z
  .object({
    account: IntegrationConfiguration.optional(),
    space: IntegrationConfiguration.optional(),
    site: IntegrationConfiguration.optional(),
  })
  .meta({ id: 'IntegrationConfigurations' });
export type IntegrationConfigurations = z.infer<typeof IntegrationConfigurations>;

export const ExternalLink = z.object({ url: webAddress, label: z.string().max(100) }).meta({ id: 'ExternalLink' });
export type ExternalLink = z.infer<typeof ExternalLink>;

/** Characters that are allowed in a header. Line breaks are allowed too; lines are joined before sending. */
const inPolicy = z.string().regex(/^[\t\n\r\x20-\x7e]*$/, 'must be printable ASCII');

/** A Content-Security-Policy as one string, or by directive. */
export const ContentSecurityPolicy = z
  .union([
    inPolicy.max(8192),
    z
      .record(z.string().regex(/^[a-z-]{1,64}$/, 'must consist of lowercase letters and hyphens'), inPolicy.max(2048))
      .refine((directives) => Object.keys(directives).length <= 40, 'must have at most 40 directives'),
  ])
  .meta({ id: 'ContentSecurityPolicy' });
export type ContentSecurityPolicy = z.infer<typeof ContentSecurityPolicy>;

/** The stored form of the scopes. */
export const IntegrationScopes = z.array(IntegrationScope);
/** The version of an integration that introduced each scope. */
export const IntegrationScopesSince = z.partialRecord(IntegrationScope, z.int());
export const IntegrationCategories = z.array(IntegrationCategory);
export const IntegrationBlocks = z.array(IntegrationBlock);
export const IntegrationContentSources = z.array(IntegrationContentSource);
/** Host names in the URL patterns of blocks, such as `example.com` or `*.example.com`. */
export const IntegrationDomains = z.array(z.string());
export const IntegrationLinks = z.array(ExternalLink);
/** Keys of objects in a bucket. */
export const ObjectKeys = z.array(z.string());

export const Integration = z
  .object({
    object: z.literal('integration'),
    name: IntegrationName,
    version: z.number().int(),
    title: z.string(),
    description: z.string().optional(),
    summary: z.string().optional(),
    previewImages: z.array(z.string()),
    target: IntegrationTarget,
    verified: z.boolean(),
    visibility: IntegrationVisibility,
    scopes: z.array(IntegrationScope),
    categories: z.array(IntegrationCategory),
    blocks: z.array(IntegrationBlock).optional(),
    contentSources: z.array(IntegrationContentSource).optional(),
    configurations: IntegrationConfigurations.optional(),
    externalLinks: z.array(ExternalLink),
    owner: Organization,
    urls: z.object({
      location: z.string(),
      icon: z.string().optional(),
      app: z.string(),
      assets: z.string(),
      publicEndpoint: z.string(),
      publicContentEndpoint: z.string(),
    }),
    permissions: z.object({ admin: z.boolean(), install: z.boolean() }),
    contentSecurityPolicy: ContentSecurityPolicy.optional(),
    events: IntegrationEvents.optional(),
    webhook: z.string().optional(),
  })
  .meta({ id: 'Integration' });
export type Integration = z.infer<typeof Integration>;

/** An integration with the blocks that it adds to the editor. */
const IntegrationWithBlocks = z
  .object({ name: IntegrationName, blocks: z.array(IntegrationBlock) })
  .meta({ id: 'SpaceIntegrationBlocks' });

/** Maximum sizes in bytes: of a script (in UTF-8), an icon and a preview image. Maximum number of secrets. */
export const maxScriptBytes = 5 * 1024 * 1024;
export const maxIconBytes = 256 * 1024;
export const maxPreviewBytes = 1024 * 1024;
const maxSecrets = 20;

/** Returns the schema of an image in base64 with a maximum size in bytes. */
const createImageSchema = (bytes: number) =>
  z
    .base64(`must be base64`)
    .min(4)
    .max(Math.ceil(bytes / 3) * 4);

const removeDuplicates = <Item>(items: Item[]): Item[] => [...new Set(items)];

/** Maximum length of each list and each configuration, in characters of JSON. */
const maxStoredLength = 32 * 1024;

const isStorable = (value: unknown): boolean => JSON.stringify(value).length <= maxStoredLength;
const tooLong = `must have at most ${maxStoredLength} characters as JSON`;

/** Returns the schema of a list with unique ids. */
const createDistinctList = <Item extends z.ZodType<{ id: string }>>(item: Item) =>
  z
    .array(item)
    .max(100)
    .refine((items) => new Set(items.map(({ id }) => id)).size === items.length, 'must not repeat an id')
    .refine(isStorable, tooLong);

const maxShownBytes = 64 * 1024;

/**
 * Returns whether the listed properties of an integration are small enough. Larger properties would slow down each list
 * that contains the integration.
 */
const isListable = ({
  script: _,
  secrets: __,
  icon: ___,
  previewImages: ____,
  ...visibleFields
}: object & Hidden): boolean => new TextEncoder().encode(JSON.stringify(visibleFields)).length <= maxShownBytes;
type Hidden = Partial<Record<'script' | 'secrets' | 'icon' | 'previewImages', unknown>>;

const PublishedFields = z.object({
  runtime: z.enum(['v1', 'v2']).default('v1'),
  icon: createImageSchema(maxIconBytes).optional(),
  title: createLineSchema(2, 30),
  description: z.string().max(100),
  summary: z.string().max(2048).optional(),
  previewImages: z.array(createImageSchema(maxPreviewBytes)).max(3).default([]),
  visibility: IntegrationVisibility.default('private'),
  target: IntegrationTarget.default('all'),
  scopes: z.array(IntegrationScope).max(50).default([]).overwrite(removeDuplicates),
  categories: z.array(IntegrationCategory).max(20).default([]).overwrite(removeDuplicates),
  blocks: createDistinctList(IntegrationBlock).optional(),
  contentSources: createDistinctList(IntegrationContentSource).optional(),
  externalLinks: z.array(ExternalLink).max(5).default([]),
  configurations: IntegrationConfigurations.refine(isStorable, tooLong).optional(),
  script: z
    .string()
    .min(1)
    .max(maxScriptBytes)
    .refine(
      (text) => new TextEncoder().encode(text).length <= maxScriptBytes,
      `must have 1 byte to ${describeBytes(maxScriptBytes)}`,
    ),
  organization: Id,
  secrets: z
    .record(z.string().min(1).max(100), z.string().max(8192))
    .refine((secrets) => Object.keys(secrets).length <= maxSecrets, `must have at most ${maxSecrets} secrets`)
    .optional(),
  contentSecurityPolicy: ContentSecurityPolicy.optional(),
  events: IntegrationEvents.optional(),
  webhook: webAddress.optional(),
});
const PublishIntegration = PublishedFields.refine(
  isListable,
  `must have at most ${describeBytes(maxShownBytes)} as JSON, not counting the script, secrets and images`,
);
export type PublishIntegration = z.infer<typeof PublishIntegration>;

const params = z.object({ integrationName: IntegrationName });

/** The filters of lists of integrations. */
const IntegrationFilters = PageQuery.extend({
  search: z.string().max(256).optional(),
  category: IntegrationCategory.optional(),
  blockDomain: IntegrationName.optional(),
  blocks: queryFilter,
  contentSources: queryFilter,
  owner: Id.optional(),
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
    summary: 'List integrations',
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
    summary: 'List the integrations that an organization can install',
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
    summary: 'List the integrations that are active on a space',
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
    summary: 'List the integration blocks of a space',
    access: { space: 'view' },
    scope: 'space:read',
    params: z.object({ spaceId: Id }),
    response: z.array(IntegrationWithBlocks),
    success: 200,
  },
  listSiteIntegrations: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/sites/:siteId/integrations',
    summary: 'List the integrations that are active on a site',
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
  /** The handler checks that the name does not belong to another organization. */
  publishIntegration: {
    method: 'POST',
    path: '/v1/integrations/:integrationName',
    summary: 'Publish an integration',
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
    summary: 'Unpublish an integration',
    access: { integration: 'admin' },
    scope: 'integration:delete',
    params,
    success: 204,
  },
});
