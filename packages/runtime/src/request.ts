import { type CallerRecord, connect, tokens } from '@octavo/db';
import type { AuditOrigin } from '@octavo/schema';
import { ApiError, invalid } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Background, Environment } from './environment.ts';
import { describe, log } from './errors.ts';
import { readGatewayContext } from './forward.ts';
import { parseStrictJson } from './strict-json.ts';

const maxUserAgentLength = 256;
/** Control characters, such as those that steer a terminal, and halves of characters. */
const unprintable = /\p{C}/gu;

/** From where a request came; `token` is the id of the one that it was made with. */
export function originOf(request: Request, token?: string): AuditOrigin {
  const ip = readGatewayContext(request).address;
  const userAgent = request.headers.get('user-agent')?.slice(0, maxUserAgentLength).replace(unprintable, '');
  return { ...(ip ? { ip } : {}), ...(userAgent ? { userAgent } : {}), ...(token === undefined ? {} : { token }) };
}

const noteAgainAfterMilliseconds = 10 * 60_000;

/** Notes after the answer when a token was used, every ten minutes at most: reads must not write each time. */
export function noteUse(
  env: Pick<Environment, 'DB'>,
  background: Background,
  { token, lastUsedAt }: CallerRecord,
): void {
  const now = Date.now();
  if (lastUsedAt !== null && now - lastUsedAt < noteAgainAfterMilliseconds) return;
  const { db } = connect(env.DB, { intent: 'write' });
  const noted = db.update(tokens).set({ lastUsedAt: now }).where(sql`${tokens.id} = ${token}`);
  background.waitUntil(
    noted.run().catch((error: unknown) => log('error', 'a use was not noted', { cause: describe(error) })),
  );
}

export const defaultMaxBodyBytes = 1024 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Reads a JSON body of at most `limit` bytes; an empty one is undefined.
 * @throws ApiError too_large, unsupported_media_type, invalid
 */
export async function readBody(request: Request, limit: number): Promise<{ bytes: Bytes; value: unknown }> {
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return { bytes, value: undefined };
  requireType(request, 'application/json');
  return { bytes, value: parseStrictJson(decode(bytes), 'body') };
}

/**
 * Reads the fields of a form that a browser sent, of at most `limit` bytes; a field that occurs twice is refused.
 * @throws ApiError too_large, unsupported_media_type, invalid
 */
export async function readForm(request: Request, limit: number): Promise<Record<string, string>> {
  const bytes = await readBytes(request, limit);
  requireType(request, 'application/x-www-form-urlencoded');
  const fields = [...new URLSearchParams(decode(bytes))];
  const names = new Set(fields.map(([name]) => name));
  if (names.size < fields.length) throw invalid([{ path: 'body', message: 'has a field twice' }]);
  return Object.fromEntries(fields);
}

function requireType(request: Request, wanted: string): void {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== wanted) throw new ApiError('unsupported_media_type', `The body must be sent as ${wanted}.`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid([{ path: 'body', message: 'is not UTF-8' }]);
  }
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

const brokenOff = () => invalid([{ path: 'body', message: 'breaks off, or has a chunk that is not as it should be' }]);

/** A body that cannot be read is one that its client broke off, or cut into chunks that are none. */
async function readSome(reader: Reader) {
  try {
    return await reader.read();
  } catch {
    throw brokenOff();
  }
}

/** Reads a body of at most `limit` bytes. @throws ApiError too_large, invalid */
export async function readBytes(request: Request, limit: number): Promise<Bytes> {
  if (request.body === null) return new Uint8Array();
  const told = request.headers.get('content-length');
  return told !== null && Number(told) <= limit ? readWhole(request) : readInPieces(request.body, limit);
}

/** A body whose length is told is no longer than that: the runtime reads so much and no more. */
async function readWhole(request: Request): Promise<Bytes> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch {
    throw brokenOff();
  }
}

async function readInPieces(body: ReadableStream<Uint8Array>, limit: number): Promise<Bytes> {
  const reader: Reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await readSome(reader); !read.done; read = await readSome(reader)) {
    size += read.value.length;
    if (size > limit) {
      await drain(reader);
      throw new ApiError('too_large', `The body is larger than ${limit} bytes.`);
    }
    chunks.push(read.value);
  }
  return joined(chunks, size);
}

function joined(chunks: Uint8Array[], size: number): Bytes {
  const all = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}
