import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { webAddress } from '../web-address.ts';
import { OpenAPISlug, OpenAPISpec, OpenAPIVisibility } from './openapi-spec.ts';

export * from './openapi-spec.ts';

/** The largest specification, in characters; its request may be twice that in bytes. */
export const maxOpenAPITextLength = 16 * 1024 * 1024;

/** Where the specification is read from: an address that is read again from time to time, or the text itself. */
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
    summary: 'Set the source of an OpenAPI specification, which is added where it is new',
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
    summary: 'Say whether an OpenAPI specification is given to anybody who has its address',
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
    summary: 'Delete an OpenAPI specification with its versions',
    access: { openapi: 'edit' },
    scope: 'openapi:write',
    params,
    success: 205,
  },
});
