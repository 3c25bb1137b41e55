import type { Urls } from '@octavo/runtime';
import { StreamedJson, tagWith } from '@octavo/runtime';
import { notFound } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { FoundVersion } from './find-version.ts';
import { publishedAddress, sourceAddress } from './present-spec.ts';

type Bucket = Pick<PublishingEnvironment, 'RENDERED'>;

/** What clients read as the files of a specification: one document. */
export async function streamContent({ spec, version }: FoundVersion, env: Bucket, urls: Urls): Promise<StreamedJson> {
  const source = sourceAddress(spec, version, urls);
  const after = { url: source, urls: { source, public: publishedAddress(spec, urls) } };
  const tag = await tagWith(`"${version.id}"`, [JSON.stringify(after)]);
  return wrapped(await openObject(env, version.content), {
    tag,
    before: '{"filesystem":[{"isEntrypoint":true,"filename":"openapi.json","dir":"./","references":[],"specification":',
    after: `}],${JSON.stringify(after).slice(1)}`,
  });
}

/** The text, exactly as it was given. */
export async function streamRaw({ version }: FoundVersion, env: Bucket): Promise<StreamedJson> {
  return wrapped(await openObject(env, version.raw), {
    tag: `"${version.id}.raw"`,
    before: `{"format":"${version.format}","text":"`,
    piece: asJsonText(),
    after: '"}',
  });
}

/** @throws ApiError not_found where the version has been forgotten meanwhile */
export async function openObject({ RENDERED }: Bucket, key: string): Promise<ReadableStream<Uint8Array>> {
  const object = await RENDERED.get(key);
  if (object === null) throw notFound('version of an OpenAPI specification');
  return object.body;
}

interface Wrapping {
  tag?: string;
  before: string;
  piece?: (bytes: Uint8Array) => Uint8Array;
  after: string;
}

const encoder = new TextEncoder();

const wrapped = (
  body: ReadableStream<Uint8Array>,
  { tag, before, piece = (bytes) => bytes, after }: Wrapping,
): StreamedJson =>
  new StreamedJson(
    body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        start: (controller) => controller.enqueue(encoder.encode(before)),
        transform: (bytes, controller) => controller.enqueue(piece(bytes)),
        flush: (controller) => controller.enqueue(encoder.encode(after)),
      }),
    ),
    tag,
  );

/** Pieces of UTF-8 as pieces of a text in JSON, of which each has whole characters only. */
function asJsonText(): (bytes: Uint8Array) => Uint8Array {
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  return (bytes) => encoder.encode(JSON.stringify(decoder.decode(bytes, { stream: true })).slice(1, -1));
}
