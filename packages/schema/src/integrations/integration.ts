import * as z from 'zod';
import { Organization } from '../org-admin/organizations.ts';
import { webAddress } from '../web-address.ts';
import { deliveredType, deliveredTypes } from './event-types.ts';
import { IntegrationScope } from './integration-scope.ts';

export * from './integration-scope.ts';

export const IntegrationName = z
  .string()
  .max(100)
  .regex(/^[a-zA-Z0-9-_.]+$/, 'must be letters, digits, hyphens, underscores and dots');

export const IntegrationEvents = z.array(deliveredType()).max(deliveredTypes.length).meta({ id: 'IntegrationEvents' });

/** Where an integration may be installed. */
export const IntegrationTarget = z.enum(['all', 'site', 'space', 'organization']).meta({ id: 'IntegrationTarget' });
export type IntegrationTarget = z.infer<typeof IntegrationTarget>;

/** `private`: the owner's members; `unlisted`: whoever knows the name; `public`: everybody. */
export const IntegrationVisibility = z.enum(['private', 'unlisted', 'public']).meta({ id: 'IntegrationVisibility' });
export type IntegrationVisibility = z.infer<typeof IntegrationVisibility>;

export const IntegrationCategory = z
  .enum(['analytics', 'collaboration', 'content', 'gitsync', 'marketing', 'visitor-auth', 'other'])
  .meta({ id: 'IntegrationCategory' });
export type IntegrationCategory = z.infer<typeof IntegrationCategory>;

const ComponentId = z.string().min(1).max(100);
const Component = z.object({ componentId: ComponentId });

/** A block that an integration adds to the editor; its id names the component that draws it. */
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

/** A source that an integration computes pages from. */
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

/** What is misspelt here is refused: a secret that is none would be shown to everybody. */
export const ConfigurationProperty = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        ...label,
        type: z.literal('string'),
        default: z.string().max(2048).optional(),
        completion_url: Address.optional(),
        enum: z.array(z.string().max(256)).max(200).optional(),
        secret: z.boolean().optional().meta({
          description:
            'Our extension: what is entered is never answered again, and kept where a later configuration leaves it out.',
        }),
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

/** What is asked for on installation: a list of properties, or a component of the integration that asks. */
export const IntegrationConfiguration = z
  .union([
    z.object({
      properties: z
        .record(z.string().min(1).max(100), ConfigurationProperty)
        .refine((all) => Object.keys(all).length <= maxProperties, `must hold at most ${maxProperties} properties`),
      required: z
        .array(z.string().max(100))
        .max(maxProperties)
        .refine((names) => new Set(names).size === names.length, 'must not name a property twice')
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

/** What may stand in a header; lines may be broken, and are joined where it is sent. */
const inPolicy = z.string().regex(/^[\t\n\r\x20-\x7e]*$/, 'must be printable ASCII');

/** A Content-Security-Policy as one string, or by directive. */
export const ContentSecurityPolicy = z
  .union([
    inPolicy.max(8192),
    z
      .record(z.string().regex(/^[a-z-]{1,64}$/), inPolicy.max(2048))
      .refine((directives) => Object.keys(directives).length <= 40, 'must hold at most 40 directives'),
  ])
  .meta({ id: 'ContentSecurityPolicy' });
export type ContentSecurityPolicy = z.infer<typeof ContentSecurityPolicy>;

/** As they are stored. */
export const IntegrationScopes = z.array(IntegrationScope);
/** The version of an integration that each scope came with. */
export const IntegrationScopesSince = z.partialRecord(IntegrationScope, z.int());
export const IntegrationCategories = z.array(IntegrationCategory);
export const IntegrationBlocks = z.array(IntegrationBlock);
export const IntegrationContentSources = z.array(IntegrationContentSource);
/** Names of hosts. */
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
    events: IntegrationEvents.optional().meta({
      description:
        'Our extension, for admins of the owner: the types of events that it wants. Left out: all that its scopes allow.',
    }),
    webhook: z.string().optional().meta({
      description: 'Our extension, for admins of the owner: where events of its installations are posted to.',
    }),
  })
  .meta({ id: 'Integration' });
export type Integration = z.infer<typeof Integration>;
