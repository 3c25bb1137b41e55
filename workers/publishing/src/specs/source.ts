import type { Database, OpenAPISpecRecord } from '@octavo/db';
import type { NewEvent, OpenAPISource } from '@octavo/schema';
import { invalid, maxOpenAPITextLength } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { uploadObject } from './keep-object.ts';

/** How long after it was read an address is read again. */
export const readAgainMilliseconds = 6 * 3_600_000;

export type KeptSource = Pick<OpenAPISpecRecord, 'sourceUrl' | 'sourceObject' | 'readAt'>;

/** Uploads a text that is to be read; an address is read by the job. @throws ApiError invalid */
export async function keepSource(
  source: OpenAPISource,
  context: { db: Database; env: Pick<PublishingEnvironment, 'RENDERED'> },
): Promise<KeptSource> {
  if ('url' in source) {
    return { sourceUrl: source.url, sourceObject: null, readAt: Date.now() + readAgainMilliseconds };
  }
  const bytes = new TextEncoder().encode(source.text);
  if (bytes.length > maxOpenAPITextLength)
    throw invalid([{ path: 'body.source.text', message: `is larger than ${maxOpenAPITextLength} bytes` }]);
  return { sourceUrl: null, sourceObject: await uploadObject(context, bytes), readAt: null };
}

/** What happened to a specification, and that it is to be read. */
export const sourceEvents = (
  type: 'openapi_spec.created' | 'openapi_spec.updated',
  { id: spec, organization, source }: Pick<OpenAPISpecRecord, 'id' | 'organization' | 'source'>,
): NewEvent[] => [
  { type, organization, data: { spec } },
  { type: 'process_openapi', organization, data: { spec, source, again: false } },
];
