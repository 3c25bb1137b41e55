import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { queryFilter } from '../query.ts';
import {
  ContentSecurityPolicy,
  ExternalLink,
  Integration,
  IntegrationBlock,
  IntegrationCategory,
  IntegrationConfigurations,
  IntegrationContentSource,
  IntegrationName,
  IntegrationScope,
  IntegrationTarget,
  IntegrationVisibility,
} from './integration.ts';

export * from './integration.ts';

/** The largest script, in characters. */
export const maxScriptLength = 5 * 1024 * 1024;
/** The largest image, in characters of base64: 1 MiB of bytes. */
const maxImageLength = Math.ceil((1024 * 1024) / 3) * 4;
const maxSecrets = 20;

const Image = z.base64().max(maxImageLength);

const PublishIntegration = z.object({
  runtime: z.enum(['v1', 'v2']).default('v1'),
  icon: Image.optional(),
  title: z.string().min(2).max(30),
  description: z.string().max(100),
  summary: z.string().max(2048).optional(),
  previewImages: z.array(Image).max(3).default([]),
  visibility: IntegrationVisibility.default('private'),
  target: IntegrationTarget.default('all'),
  scopes: z.array(IntegrationScope).max(50).default([]),
  categories: z.array(IntegrationCategory).max(20).default([]),
  blocks: z.array(IntegrationBlock).max(100).optional(),
  contentSources: z.array(IntegrationContentSource).max(100).optional(),
  externalLinks: z.array(ExternalLink).max(5).default([]),
  configurations: IntegrationConfigurations.optional(),
  script: z.string().max(maxScriptLength),
  organization: Id.meta({ description: 'Id or subdomain of the organization that publishes.' }),
  secrets: z
    .record(z.string().min(1).max(100), z.string().max(8192))
    .refine((secrets) => Object.keys(secrets).length <= maxSecrets, `must hold at most ${maxSecrets} secrets`)
    .optional(),
  contentSecurityPolicy: ContentSecurityPolicy.optional(),
});

const params = z.object({ integrationName: IntegrationName });

export const integrationEndpoints = contract({
  listIntegrations: {
    method: 'GET',
    path: '/v1/integrations',
    summary: 'List the public integrations, and the private ones of the organizations of the caller',
    access: 'user',
    scope: 'any',
    query: PageQuery.extend({
      search: z.string().max(256).optional(),
      category: IntegrationCategory.optional(),
      blockDomain: IntegrationName.optional(),
      blocks: queryFilter,
      contentSources: queryFilter,
      owner: Id.optional(),
      scope: IntegrationScope.optional(),
      target: IntegrationTarget.optional(),
    }),
    response: list(Integration),
    success: 200,
  },
  getIntegrationByName: {
    method: 'GET',
    path: '/v1/integrations/:integrationName',
    summary: 'Get an integration',
    access: { integration: 'view' },
    scope: 'any',
    params,
    response: Integration,
    success: 200,
  },
  /** The organization stands in the body: that the caller is its admin, and that it owns the name, the handler checks. */
  publishIntegration: {
    method: 'POST',
    path: '/v1/integrations/:integrationName',
    summary: 'Publish an integration, or a new version of it',
    access: 'user',
    scope: 'integration:publish',
    params,
    body: PublishIntegration,
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
