import type { Database, OpenAPISpecRecord } from '@octavo/db';
import type { NewEvent, OpenAPISource } from '@octavo/schema';
import { invalid, maxOpenAPITextLength } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { uploadObject } from './keep-object.ts';

/** How long after it was read an address is read again. */
export const readAgainMilliseconds = 6 * 3_600_000;

export type KeptSource = Pick<OpenAPISpecRecord, 'source' | 'sourceUrl' | 'sourceObject' | 'readAt'>;

/** Of many who give one a source at once, nobody needs to know what the others gave. */
const numberOfSource = (): number => Number(crypto.getRandomValues(new BigUint64Array(1))[0]) % Number.MAX_SAFE_INTEGER;

/** Uploads a text that is to be read; an address is read by the job. @throws ApiError invalid */
export async function keepSource(
  source: OpenAPISource,
  context: { db: Database; env: Pick<PublishingEnvironment, 'RENDERED'> },
): Promise<KeptSource> {
  if ('url' in source) {
    const readAt = Date.now() + readAgainMilliseconds;
    return { source: numberOfSource(), sourceUrl: source.url, sourceObject: null, readAt };
  }
  const bytes = new TextEncoder().encode(source.text);
  if (bytes.length > maxOpenAPITextLength)
    throw invalid([{ path: 'body.source.text', message: `is larger than ${maxOpenAPITextLength} bytes` }]);
  const sourceObject = await uploadObject(context, bytes);
  return { source: numberOfSource(), sourceUrl: null, sourceObject, readAt: null };
}

/** What happened to a specification, and that it is to be read. */
export const sourceEvents = (
  type: 'openapi_spec.created' | 'openapi_spec.updated',
  { id: spec, organization, source }: Pick<OpenAPISpecRecord, 'id' | 'organization' | 'source'>,
): NewEvent[] => [
  { type, organization, data: { spec } },
  { type: 'process_openapi', organization, data: { spec, source, again: false } },
];
