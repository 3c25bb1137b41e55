import type { Contract, Endpoint, ErrorType } from '@octavo/schema';
import { errorStatus, MergeConflict, supportsIdempotencyKey } from '@octavo/schema';
import type { Documentation } from '@octavo/schema/documentation';
import * as z from 'zod';
import type {
  ZodOpenApiObject,
  ZodOpenApiOperationObject,
  ZodOpenApiOverride,
  ZodOpenApiPathsObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi';
import { createDocument } from 'zod-openapi';
import { addDocumentation, type DescribedDocument } from './openapi-documentation.ts';
import { getTag, getTagGroup } from './openapi-tags.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

interface DocumentOptions {
  /** The URL of the API, without `/v1`. */
  url: string;
  version: string;
  /** The descriptions and examples. Without this option, the document has no descriptions and no examples. */
  documentation?: Documentation;
}

let built: (DocumentOptions & { document: OpenApiDocument }) | undefined;

/** Returns the OpenAPI 3.1 document of all contracts. It is built on the first call in an isolate. */
export function openApiDocument(contracts: Record<string, Contract>, options: DocumentOptions): OpenApiDocument {
  const { url, version, documentation } = options;
  if (built?.url !== url || built.version !== version || built.documentation !== documentation) {
    built = { ...options, document: buildDocument(contracts, options) };
  }
  return built.document;
}

const ApiErrorBody = z
  .object({
    error: z.object({
      code: z.number().int(),
      message: z.string(),
      type: z.enum(Object.keys(errorStatus) as ErrorType[]),
      requestId: z.string(),
      issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
      conflicts: z.array(MergeConflict).optional(),
    }),
  })
  .meta({ id: 'Error' });

const errorTexts: Record<ErrorType, string> = {
  invalid: 'The path, the query or the body is invalid. `error.issues` lists the invalid values.',
  unauthenticated: 'The request has no valid token.',
  forbidden: 'The caller can see the object, but the role or the scopes of the token do not allow the operation.',
  not_found: 'The object does not exist, or the caller cannot see it.',
  method_not_allowed: 'The path does not support this method. `Allow` lists the supported methods.',
  conflict: 'The request conflicts with the current state of the object.',
  precondition_failed: 'The current state of the object does not allow the operation.',
  too_large: 'The request is too large.',
  unsupported_media_type: 'The body is not JSON, or it is compressed.',
  rate_limited: 'The caller has sent too many requests. `Retry-After` is the number of seconds to wait.',
  internal: 'The server has failed. The log contains the details under the request id.',
  unknown_method: 'The API does not support this method.',
  unavailable: 'The server is temporarily unavailable. Repeat the request later.',
  storage_full: 'The disk or the database of the server is full. Reads still work.',
};

const createJsonContent = (schema: z.ZodType) => ({ content: { 'application/json': { schema } } });

const limitHeaders = Object.fromEntries(
  Object.entries({
    'Retry-After': 'The number of seconds to wait before the next request.',
    'X-RateLimit-Limit': 'The maximum number of requests of this kind in a minute.',
    'X-RateLimit-Remaining': 'The number of requests that are left in this minute.',
    'X-RateLimit-Reset': 'The time at which the minute ends, in seconds since 1970.',
  }).map(([name, description]) => [name, { description, schema: { type: 'integer' as const } }]),
);

const errorResponses = Object.fromEntries(
  Object.entries(errorTexts).map(([type, description]) => [
    type,
    { description, ...(type === 'rate_limited' ? { headers: limitHeaders } : {}), ...createJsonContent(ApiErrorBody) },
  ]),
);

function buildDocument(
  contracts: Record<string, Contract>,
  { url, version, documentation }: DocumentOptions,
): OpenApiDocument {
  const operations = Object.entries(contracts).flatMap(([domain, contract]) =>
    Object.entries(contract).map(([key, endpoint]) => ({ domain, key, endpoint, tag: getTag(endpoint.path) })),
  );
  const paths: ZodOpenApiPathsObject = {};
  for (const { key, endpoint, tag } of operations) {
    const path = toDocumentPath(endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: toOperation(key, endpoint, tag) };
  }
  const tags = [...new Set(operations.map(({ tag }) => tag))].sort();
  const source: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: { title: 'Octavo', version, description: 'The HTTP API of the Octavo documentation platform.' },
    servers: [{ url }],
    security: [{ bearer: [] }],
    tags: tags.map((name) => ({ name })),
    'x-tagGroups': Object.entries(Object.groupBy(tags, getTagGroup)).map(([name, members]) => ({
      name,
      tags: members,
    })),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      responses: errorResponses,
    },
    paths,
  };
  const document = createDocument(source, { override: simplifySchema });
  if (documentation !== undefined) addDocumentation(document as DescribedDocument, documentation);
  return document;
}

/** Removes details of parsing from a JSON Schema. */
function simplifySchema({ jsonSchema, zodSchema }: Parameters<ZodOpenApiOverride>[0]): void {
  const { def } = zodSchema._zod;
  // Later versions can add properties to objects that are not strict, so clients must accept unknown ones.
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
  // zod-openapi merges a schema's `override` into the derived schema. Here, an `override` replaces the whole derived
  // schema.
  if ('override' in jsonSchema) {
    for (const key of Object.keys(jsonSchema)) if (key !== 'override') Reflect.deleteProperty(jsonSchema, key);
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** Returns a path of the contract in the form of OpenAPI: `:name` and `:name+` become `{name}`. */
export const toDocumentPath = (path: string): string => path.replace(/:(\w+)\+?/g, '{$1}');

function toOperation(key: string, endpoint: Endpoint, tag: string): ZodOpenApiOperationObject {
  const { access, body, deprecated, params, query, summary } = endpoint;
  const header = getRequestHeaders(endpoint);
  const requestParams = { ...(params && { path: params }), ...(query && { query }), ...(header && { header }) };
  const description = describeScope(endpoint);
  return {
    operationId: key,
    summary,
    ...(description === '' ? {} : { description }),
    tags: [tag],
    ...(access === 'public' ? { security: [] } : {}),
    ...(deprecated ? { deprecated } : {}),
    requestParams,
    ...(body && { requestBody: { required: !body.safeParse(undefined).success, ...createJsonContent(body) } }),
    responses: {
      [endpoint.success]: toSuccessResponse(endpoint),
      ...(endpoint.cache === undefined
        ? {}
        : { 304: { description: 'The stored response of the client is current.' } }),
      ...Object.fromEntries(
        getErrorTypes(endpoint).map((type) => [String(errorStatus[type]), { $ref: `#/components/responses/${type}` }]),
      ),
    },
  };
}

const headers = {
  'Idempotency-Key': z.string().min(1).max(255),
  'If-None-Match': z.string(),
  'If-Match': z.string(),
};

/** Returns the headers that requests to an endpoint can have. */
export function getRequestHeaders(endpoint: Endpoint): z.ZodObject | undefined {
  const names = [
    ...(supportsIdempotencyKey(endpoint) ? (['Idempotency-Key'] as const) : []),
    ...(endpoint.cache === undefined ? [] : (['If-None-Match'] as const)),
    ...(endpoint.precondition === undefined ? [] : (['If-Match'] as const)),
  ];
  return names.length === 0
    ? undefined
    : z.object(Object.fromEntries(names.map((name) => [name, headers[name].optional()])));
}

function describeScope({ scope }: Endpoint): string {
  if (scope === 'any') return '';
  return scope === 'unscoped'
    ? 'Requires a token that is not limited by scopes.'
    : `A token that is limited by scopes needs \`${scope}\`.`;
}

const successTexts: Record<Endpoint['success'], string> = {
  200: 'The request succeeded.',
  201: 'The object was created.',
  204: 'The request succeeded. The response has no body.',
  205: 'The object was deleted. The response has no body.',
};

const responseHeaders = {
  Location: { description: 'The URL of the created object.', schema: { type: 'string' } },
  ETag: {
    description:
      'The version of the response. Send it as `If-None-Match` to receive a 304 while it is current, or as `If-Match` ' +
      'with a write.',
    schema: { type: 'string' },
  },
} as const;

const toSuccessResponse = ({ success, response, cache }: Endpoint): ZodOpenApiResponseObject => ({
  description: successTexts[success],
  ...(success === 201 && { headers: { Location: responseHeaders.Location } }),
  ...(cache && { headers: { ETag: responseHeaders.ETag } }),
  ...(response && createJsonContent(response)),
});

/** Returns the errors of an endpoint: those that any endpoint can return, and those that its contract adds. */
export function getErrorTypes(endpoint: Endpoint): ErrorType[] {
  const { access, method, params, body, query, errors = [] } = endpoint;
  const always: ErrorType[] = ['rate_limited', 'internal', 'unavailable'];
  const guarded: ErrorType[] = access === 'public' ? [] : ['unauthenticated', 'forbidden'];
  const parsed: ErrorType[] = body || query ? ['invalid'] : [];
  const errorTypes: ErrorType[] = params ? ['not_found'] : [];
  const sent: ErrorType[] = body ? ['too_large', 'unsupported_media_type'] : [];
  const repeated: ErrorType[] = supportsIdempotencyKey(endpoint) ? ['invalid', 'conflict'] : [];
  const written: ErrorType[] = method === 'GET' ? [] : ['storage_full'];
  return [...new Set([...parsed, ...guarded, ...errorTypes, ...sent, ...repeated, ...errors, ...always, ...written])];
}
