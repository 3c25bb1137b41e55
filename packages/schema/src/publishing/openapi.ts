import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Timestamp } from '../time.ts';
import { webAddress } from '../web-address.ts';

export const OpenAPISlug = z
  .string()
  .max(100)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lowercase words joined by hyphens');

/**
 * The processing state of a specification. If it could not be read, the state is `complete` too, with an error code.
 */
export const OpenAPIProcessingState = z
  .enum(['pending', 'progress', 'complete'])
  .meta({ id: 'OpenAPIProcessingState' });
export type OpenAPIProcessingState = z.infer<typeof OpenAPIProcessingState>;

export const OpenAPIProcessErrorCode = z
  .enum(['FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR'])
  .meta({ id: 'OpenAPIProcessErrorCode' });
export type OpenAPIProcessErrorCode = z.infer<typeof OpenAPIProcessErrorCode>;

/** The visibility of a specification. A public one is available to anyone who has its URL. */
export const OpenAPIVisibility = z.enum(['private', 'public']).meta({ id: 'OpenAPIVisibility' });
export type OpenAPIVisibility = z.infer<typeof OpenAPIVisibility>;

const Location = z.object({ location: z.string() });

export const OpenAPISpec = z
  .object({
    object: z.literal('openapi-spec'),
    id: z.string(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    slug: OpenAPISlug,
    sourceURL: z.string().max(2048).optional(),
    processingState: OpenAPIProcessingState,
    visibility: OpenAPIVisibility,
    lastVersion: z.string().optional(),
    lastProcessedAt: Timestamp.optional(),
    lastProcessErrorCode: OpenAPIProcessErrorCode.optional(),
    lastProcessErrorMessage: z.string().optional(),
    lastProcessedErrors: z.array(z.object({ message: z.string(), code: OpenAPIProcessErrorCode })).optional(),
    lastProcessedErrorCount: z.number().int(),
    permissions: z.object({ view: z.boolean(), edit: z.boolean() }),
    urls: Location.extend({ app: z.string(), published: z.string().optional() }),
  })
  .meta({ id: 'OpenAPISpec' });
export type OpenAPISpec = z.infer<typeof OpenAPISpec>;

export const OpenAPISpecVersion = z
  .object({
    object: z.literal('openapi-spec-version'),
    id: z.string(),
    createdAt: Timestamp,
    url: z.string(),
    urls: Location,
  })
  .meta({ id: 'OpenAPISpecVersion' });
export type OpenAPISpecVersion = z.infer<typeof OpenAPISpecVersion>;

/** The document of a specification. There is exactly one, and its references are all internal. */
const OpenAPIFile = z.object({
  isEntrypoint: z.boolean(),
  specification: z.record(z.string(), z.unknown()),
  filename: z.string(),
  dir: z.string(),
  references: z.array(z.string()),
});

export const OpenAPISpecContent = z
  .object({
    filesystem: z.array(OpenAPIFile),
    url: z.string(),
    urls: z.object({ source: z.string(), public: z.string().nullable() }),
  })
  .meta({ id: 'OpenAPISpecContent' });

export const OpenAPISpecRawContent = z
  .object({ text: z.string(), format: z.enum(['json', 'yaml']) })
  .meta({ id: 'OpenAPISpecRawContent' });

/** The maximum size of a specification, in characters. The request body can have twice as many bytes. */
export const maxOpenAPITextLength = 16 * 1024 * 1024;

/** The source of a specification: a URL that is read repeatedly, or the text itself. */
export const OpenAPISource = z
  .union([z.object({ url: webAddress }), z.object({ text: z.string().min(1).max(maxOpenAPITextLength) })])
  .meta({ id: 'OpenAPISource' });
export type OpenAPISource = z.infer<typeof OpenAPISource>;

const organizationParams = z.object({ organizationId: Id });
const params = organizationParams.extend({ specSlug: OpenAPISlug });

export const openapiEndpoints = contract({
  listOpenAPISpecs: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/openapi',
    summary: 'List the OpenAPI specifications of an organization',
    access: { openapi: 'view' },
    scope: 'openapi:read',
    params: organizationParams,
    query: PageQuery,
    response: list(OpenAPISpec),
    success: 200,
  },
  createOpenAPISpec: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/openapi',
    summary: 'Add an OpenAPI specification',
    access: { openapi: 'edit' },
    scope: 'openapi:write',
    params: organizationParams,
    body: z.object({ slug: OpenAPISlug, source: OpenAPISource }),
    response: OpenAPISpec,
    success: 201,
    errors: ['conflict'],
    rate: 'jobs',
    maxBodyBytes: 2 * maxOpenAPITextLength,
  },
  getOpenAPISpecBySlug: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/openapi/:specSlug',
    summary: 'Get an OpenAPI specification',
    access: { openapi: 'view' },
    scope: 'openapi:read',
    params,
    response: OpenAPISpec,
    success: 200,
  },
  createOrUpdateOpenAPISpecBySlug: {
    method: 'PUT',
    path: '/v1/orgs/:organizationId/openapi/:specSlug',
    summary: 'Add or update an OpenAPI specification',
    access: { openapi: 'edit' },
    scope: 'openapi:write',
    params,
    body: z.object({ source: OpenAPISource }),
    response: OpenAPISpec,
    success: 200,
    rate: 'jobs',
    maxBodyBytes: 2 * maxOpenAPITextLength,
  },
  updateOpenAPISpecBySlug: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/openapi/:specSlug',
    summary: 'Change the visibility of an OpenAPI specification',
    access: { openapi: 'edit' },
    scope: 'openapi:write',
    params,
    body: z.object({ visibility: OpenAPIVisibility }),
    response: OpenAPISpec,
    success: 200,
  },
  deleteOpenAPISpecBySlug: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/openapi/:specSlug',
    summary: 'Delete an OpenAPI specification',
    access: { openapi: 'edit' },
    scope: 'openapi:write',
    params,
    success: 205,
  },
});

const versionParams = params.extend({ versionId: Id });

export const openapiVersionEndpoints = contract({
  listOpenAPISpecVersions: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/openapi/:specSlug/versions',
    summary: 'List the versions of an OpenAPI specification',
    access: { openapi: 'view' },
    scope: 'openapi:read',
    params,
    query: PageQuery,
    response: list(OpenAPISpecVersion),
    success: 200,
  },
  getLatestOpenAPISpecVersion: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/openapi/:specSlug/versions/latest',
    summary: 'Get the newest version of an OpenAPI specification',
    access: { openapi: 'view' },
    scope: 'openapi:read',
    params,
    response: OpenAPISpecVersion,
    success: 200,
  },
  getLatestOpenAPISpecVersionContent: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/openapi/:specSlug/versions/latest/content',
    summary: 'Get the document of the newest version',
    access: { openapi: 'view' },
    visitors: 'allowed',
    scope: 'openapi:read',
    params,
    response: OpenAPISpecContent,
    streamed: true,
    success: 200,
  },
  getLatestOpenAPISpecVersionContentRaw: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/openapi/:specSlug/versions/latest/content/raw',
    summary: 'Get the text of the newest version',
    access: { openapi: 'view' },
    scope: 'openapi:read',
    params,
    response: OpenAPISpecRawContent,
    streamed: true,
    success: 200,
  },
  getOpenAPISpecVersionById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/openapi/:specSlug/versions/:versionId',
    summary: 'Get a version of an OpenAPI specification',
    access: { openapi: 'view' },
    scope: 'openapi:read',
    params: versionParams,
    response: OpenAPISpecVersion,
    success: 200,
  },
  getOpenAPISpecVersionContentById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/openapi/:specSlug/versions/:versionId/content',
    summary: 'Get the document of a version',
    access: { openapi: 'view' },
    scope: 'openapi:read',
    params: versionParams,
    response: OpenAPISpecContent,
    streamed: true,
    success: 200,
  },
});
