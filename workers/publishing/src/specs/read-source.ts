import type { OpenAPISpecRecord } from '@octavo/db';
import { ExternalFetchError, type FetchedResource, fetchExternal } from '@octavo/runtime';
import type { OpenAPIProcessErrorCode } from '@octavo/schema';
import { maxSpecificationBytes } from '@octavo/specification';
import type { PublishingEnvironment } from '../environment.ts';

type SourceText = { bytes: Uint8Array; etag: string | null; lastModified: string | null } | 'not modified';

/** A failure to read the source, reported to the owner of the specification. */
export class SourceFault extends Error {
  override name = 'SourceFault';
  readonly code: OpenAPIProcessErrorCode;

  constructor(code: OpenAPIProcessErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const limits = {
  milliseconds: 20_000,
  bytes: maxSpecificationBytes,
  accept: 'application/json, application/yaml, text/yaml, */*;q=0.8',
};
const maxValidatorLength = 1000;

/** @throws SourceFault */
export async function readSource(spec: OpenAPISpecRecord, env: PublishingEnvironment): Promise<SourceText> {
  const { sourceUrl, sourceObject } = spec;
  if (sourceUrl !== null) return readAddress(sourceUrl, spec, env);
  const object = sourceObject === null ? null : await env.RENDERED.get(sourceObject);
  if (object === null) throw new Error(`The text of the specification ${spec.id} is missing.`);
  return { bytes: new Uint8Array(await object.arrayBuffer()), etag: null, lastModified: null };
}

async function readAddress(
  address: string,
  { etag, lastModified, version }: OpenAPISpecRecord,
  env: PublishingEnvironment,
): Promise<SourceText> {
  const headers = {
    ...(etag === null || version === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null || version === null ? {} : { 'if-modified-since': lastModified }),
  };
  try {
    return toSourceText(await fetchExternal(env, address, { ...limits, headers }));
  } catch (error) {
    if (!(error instanceof ExternalFetchError)) throw error;
    if (error.status === 304) return 'not modified';
    const code = error.fault === 'timeout' ? 'FETCH_TIMEOUT' : 'FETCH_ERROR';
    throw new SourceFault(code, `${address} ${error.message}.`);
  }
}

function toSourceText({ bytes, headers }: FetchedResource): SourceText {
  const getHeader = (name: string) => headers.get(name)?.slice(0, maxValidatorLength) ?? null;
  return { bytes, etag: getHeader('etag'), lastModified: getHeader('last-modified') };
}
