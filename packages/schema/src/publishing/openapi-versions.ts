import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { OpenAPISlug, OpenAPISpecContent, OpenAPISpecRawContent, OpenAPISpecVersion } from './openapi-spec.ts';

const params = z.object({ organizationId: Id, specSlug: OpenAPISlug });
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
    summary: 'Get what the newest version of an OpenAPI specification holds',
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
    summary: 'Get the text of the newest version of an OpenAPI specification',
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
    summary: 'Get what a version of an OpenAPI specification holds',
    access: { openapi: 'view' },
    scope: 'openapi:read',
    params: versionParams,
    response: OpenAPISpecContent,
    streamed: true,
    success: 200,
  },
});
