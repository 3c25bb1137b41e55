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

/**
 * A client that is cut off while it sends may never see the answer, so what is not wanted is read and dropped: as much
 * of it as an honest client sends at once, for a slow one must not hold back the answer.
 */
const maxDrainedBytes = 32 * 1024 * 1024;
const maxDrainMilliseconds = 2000;

/** Reads what is left of a body and drops it, so that the client gets the answer instead of a broken connection. */
export async function discardBody(request: Request): Promise<void> {
  if (request.body === null || request.bodyUsed) return;
  if (Number(request.headers.get('content-length') ?? 0) > maxDrainedBytes) return;
  await drain(request.body.getReader());
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Ends at a bound too, and where the body breaks off: the answer stands already. */
async function drain(reader: Reader): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, maxDrainMilliseconds);
  await Promise.race([dropBytes(reader), late.promise]).catch(() => undefined);
  clearTimeout(timer);
  await reader.cancel().catch(() => undefined);
}

async function dropBytes(reader: Reader): Promise<void> {
  let left = maxDrainedBytes;
  for (let read = await reader.read(); !read.done && left > 0; read = await reader.read()) left -= read.value.length;
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const reader: Reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length;
    if (size > limit) {
      await drain(reader);
      throw new ApiError('too_large', `The body is larger than ${limit} bytes.`);
    }
    chunks.push(read.value);
  }
  return joined(chunks, size);
}

function joined(chunks: Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}
