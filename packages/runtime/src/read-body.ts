import { ApiError, invalid } from '@octavo/schema';
import { parseStrictJson } from './strict-json.ts';

export const defaultMaxBodyBytes = 1024 * 1024;

/**
 * Reads a JSON body of at most `limit` bytes; an empty one is undefined.
 * @throws ApiError too_large, unsupported_media_type, invalid
 */
export async function readBody(request: Request, limit: number): Promise<unknown> {
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return undefined;
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new ApiError('unsupported_media_type', 'The body must be sent as application/json.');
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid([{ path: 'body', message: 'is not UTF-8' }]);
  }
  return parseStrictJson(text);
}

/** A client that is cut off while it sends may never see the answer, so what is not wanted is read and dropped. */
const maxDiscardedBytes = 64 * 1024 * 1024;

/** Reads what is left of a body and drops it, so that the client gets the answer instead of a broken connection. */
export async function discardBody(request: Request): Promise<void> {
  if (request.body !== null && !request.bodyUsed) await readChunks(request.body, { keep: 0 });
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const { chunks, size } = await readChunks(request.body, { keep: limit });
  if (size > limit) throw new ApiError('too_large', `The body is larger than ${limit} bytes.`);
  const all = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}

async function readChunks(
  body: ReadableStream,
  { keep }: { keep: number },
): Promise<{ chunks: Uint8Array[]; size: number }> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader.read(); !read.done && size <= keep + maxDiscardedBytes; read = await reader.read()) {
    size += read.value.length;
    if (size <= keep) chunks.push(read.value);
    else chunks.length = 0;
  }
  return { chunks, size };
}
