import type { Contract, Endpoint, ErrorType } from '@octavo/schema';
import { errorStatus, MergeConflict, takesKey } from '@octavo/schema';
import { documentation } from '@octavo/schema/documentation';
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
import { groupOf, tagOf } from './openapi-tags.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

interface About {
  /** Where the API answers, without `/v1`. */
  url: string;
  version: string;
}

let built: (About & { document: OpenApiDocument }) | undefined;

/** The OpenAPI 3.1 document of all contracts, built on the first call in an isolate. */
export function openApiDocument(contracts: Record<string, Contract>, { url, version }: About): OpenApiDocument {
  if (built?.url !== url || built.version !== version) {
    built = { url, version, document: buildDocument(contracts, { url, version }) };
  }
  return built.document;
}

const ApiErrorBody = z
  .object({
    error: z.object({
      code: z.number().int().meta({ description: 'The HTTP status.' }),
      message: z.string(),
      type: z.enum(Object.keys(errorStatus) as ErrorType[]),
      requestId: z.string(),
      issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
      conflicts: z.array(MergeConflict).optional(),
    }),
  })
  .meta({ id: 'Error' });

const errorTexts: Record<ErrorType, string> = {
  invalid: 'The path, the query or the body is not what it must be.',
  unauthenticated: 'There is no valid token.',
  forbidden: 'The caller may see the object but not do this.',
  not_found: 'There is no such object, or the caller may not see it.',
  conflict: 'The request clashes with the present state.',
  precondition_failed: 'The present state forbids it.',
  too_large: 'The request is too large.',
  unsupported_media_type: 'The body is not JSON.',
  rate_limited: 'There were too many requests; `Retry-After` tells when to go on.',
  internal: 'Something went wrong on our side.',
  unknown_method: 'The API knows no such method.',
  unavailable: 'The service cannot answer now.',
};

const json = (schema: z.ZodType) => ({ content: { 'application/json': { schema } } });

const limitHeaders = Object.fromEntries(
  Object.entries({
    'Retry-After': 'In how many seconds to go on.',
    'X-RateLimit-Limit': 'How many requests of this kind a minute may have.',
    'X-RateLimit-Remaining': 'How many are left.',
    'X-RateLimit-Reset': 'When the minute ends, in seconds since 1970.',
  }).map(([name, description]) => [name, { description, schema: { type: 'integer' as const } }]),
);

const errorResponses = Object.fromEntries(
  Object.entries(errorTexts).map(([type, description]) => [
    type,
    { description, ...(type === 'rate_limited' ? { headers: limitHeaders } : {}), ...json(ApiErrorBody) },
  ]),
);

function buildDocument(contracts: Record<string, Contract>, { url, version }: About): OpenApiDocument {
  const operations = Object.entries(contracts).flatMap(([domain, contract]) =>
    Object.entries(contract).map(([key, endpoint]) => ({ domain, key, endpoint, tag: tagOf(endpoint.path) })),
  );
  const paths: ZodOpenApiPathsObject = {};
  for (const { key, endpoint, tag } of operations) {
    const path = documentPath(endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(key, endpoint, tag) };
  }
  const tags = [...new Set(operations.map(({ tag }) => tag))].sort();
  const source: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: { title: 'Octavo', version, description: 'The HTTP API of the Octavo documentation platform.' },
    servers: [{ url }],
    security: [{ bearer: [] }],
    tags: tags.map((name) => ({ name })),
    'x-tagGroups': Object.entries(Object.groupBy(tags, groupOf)).map(([name, members]) => ({ name, tags: members })),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      responses: errorResponses,
    },
    paths,
  };
  const document = createDocument(source, { override: tidy });
  addDocumentation(document as DescribedDocument, documentation);
  return document;
}

/** Takes away what a schema says of how its value is parsed, and what no reader needs. */
function tidy({ jsonSchema, zodSchema }: Parameters<ZodOpenApiOverride>[0]): void {
  const { def } = zodSchema._zod;
  // An object that is not strict may gain fields: clients must not be told otherwise.
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
  // zod-openapi lays a schema's `override` over what it found; ours stand for the whole of it.
  if ('override' in jsonSchema) {
    for (const key of Object.keys(jsonSchema)) if (key !== 'override') Reflect.deleteProperty(jsonSchema, key);
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** `:name` and `:name+` as `{name}`. */
export const documentPath = (path: string): string => path.replace(/:(\w+)\+?/g, '{$1}');

function operation(key: string, endpoint: Endpoint, tag: string): ZodOpenApiOperationObject {
  const { access, body, deprecated, params, query, summary } = endpoint;
  const header = headersOf(endpoint);
  const requestParams = { ...(params && { path: params }), ...(query && { query }), ...(header && { header }) };
  const description = descriptionOf(endpoint);
  return {
    operationId: key,
    summary,
    ...(description === '' ? {} : { description }),
    tags: [tag],
    ...(access === 'public' ? { security: [] } : {}),
    ...(deprecated ? { deprecated } : {}),
    requestParams,
    ...(body && { requestBody: { required: !body.safeParse(undefined).success, ...json(body) } }),
    responses: {
      [endpoint.success]: successResponse(endpoint),
      ...(endpoint.cache === undefined ? {} : { 304: { description: 'The client has it already.' } }),
      ...Object.fromEntries(
        errorsOf(endpoint).map((type) => [String(errorStatus[type]), { $ref: `#/components/responses/${type}` }]),
      ),
    },
  };
}

const headers = {
  'Idempotency-Key': z.string().min(1).max(255),
  'If-None-Match': z.string(),
  'If-Match': z.string(),
};

/** The headers that a request may carry. */
export function headersOf(endpoint: Endpoint): z.ZodObject | undefined {
  const taken = [
    ...(takesKey(endpoint) ? (['Idempotency-Key'] as const) : []),
    ...(endpoint.cache === undefined ? [] : (['If-None-Match'] as const)),
    ...(endpoint.precondition === undefined ? [] : (['If-Match'] as const)),
  ];
  return taken.length === 0
    ? undefined
    : z.object(Object.fromEntries(taken.map((name) => [name, headers[name].optional()])));
}

function descriptionOf({ scope }: Endpoint): string {
  if (scope === 'any') return '';
  return scope === 'unscoped' ? 'Needs a token that is not limited by scopes.' : `A scoped token needs \`${scope}\`.`;
}

const successTexts: Record<Endpoint['success'], string> = {
  200: 'Done.',
  201: 'Created.',
  204: 'Done.',
  205: 'Deleted.',
};

const answerHeaders = {
  Location: { description: 'Its address.', schema: { type: 'string' } },
  ETag: { description: 'The revision that it follows from.', schema: { type: 'string' } },
} as const;

const successResponse = ({ success, response, cache }: Endpoint): ZodOpenApiResponseObject => ({
  description: successTexts[success],
  ...(success === 201 && { headers: { Location: answerHeaders.Location } }),
  ...(cache && { headers: { ETag: answerHeaders.ETag } }),
  ...(response && json(response)),
});

/** What an endpoint may answer besides success: what any may, and what its contract adds. */
export function errorsOf(endpoint: Endpoint): ErrorType[] {
  const { access, params, body, query, errors = [] } = endpoint;
  const always: ErrorType[] = ['rate_limited', 'internal', 'unavailable'];
  const guarded: ErrorType[] = access === 'public' ? [] : ['unauthenticated', 'forbidden'];
  const parsed: ErrorType[] = body || query ? ['invalid'] : [];
  const found: ErrorType[] = params ? ['not_found'] : [];
  const sent: ErrorType[] = body ? ['too_large', 'unsupported_media_type'] : [];
  const repeated: ErrorType[] = takesKey(endpoint) ? ['invalid', 'conflict'] : [];
  return [...new Set([...parsed, ...guarded, ...found, ...sent, ...repeated, ...errors, ...always])];
}
