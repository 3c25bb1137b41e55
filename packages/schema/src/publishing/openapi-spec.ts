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

export const OpenAPISpec = z
  .object({
    object: z.literal('openapi-spec'),
    id: z.string(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    slug: OpenAPISlug,
    sourceURL: z.string().max(2048).optional(),
    processingState: OpenAPIProcessingState,
    lastVersion: z.string().optional(),
    lastProcessedAt: Timestamp.optional(),
    lastProcessErrorCode: OpenAPIProcessErrorCode.optional(),
    permissions: z.object({ view: z.boolean(), edit: z.boolean() }),
    urls: z.object({ location: z.string(), app: z.string() }),
  })
  .meta({ id: 'OpenAPISpec' });
export type OpenAPISpec = z.infer<typeof OpenAPISpec>;
