import * as z from 'zod';
import { Timestamp } from '../time.ts';

export const OpenAPISlug = z
  .string()
  .max(100)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case words, joined by hyphens');

/** A specification that could not be read ends as `complete` too, with the code of what failed. */
export const OpenAPIProcessingState = z
  .enum(['pending', 'progress', 'complete'])
  .meta({ id: 'OpenAPIProcessingState' });
export type OpenAPIProcessingState = z.infer<typeof OpenAPIProcessingState>;

export const OpenAPIProcessErrorCode = z
  .enum(['FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR'])
  .meta({ id: 'OpenAPIProcessErrorCode' });
export type OpenAPIProcessErrorCode = z.infer<typeof OpenAPIProcessErrorCode>;

/** One that is public is given to anybody who has its address. */
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
    lastProcessErrorMessage: z
      .string()
      .optional()
      .meta({ description: 'What is wrong, and where: a line, or the place in the document.' }),
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

/** A document of a specification. There is one, with references within itself only. */
const OpenAPIFile = z.object({
  isEntrypoint: z.boolean(),
  specification: z
    .record(z.string(), z.unknown())
    .meta({ description: 'The document in OpenAPI 3.0 or 3.1; one in Swagger 2.0 is brought to 3.1.' }),
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
