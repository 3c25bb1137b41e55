import type { CallerRecord } from '@octavo/db';
import { connect, tokens } from '@octavo/db';
import type { AuditOrigin, Endpoint } from '@octavo/schema';
import { ApiError, bodyTooLarge, findStorageFull, invalid, noBody, noQuery, uploadHint } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Background, Environment } from './environment.ts';
import { readGatewayContext } from './forward.ts';
import { parseInput } from './parse-input.ts';
import { describeError, log } from './respond.ts';

const maxUserAgentLength = 256;
/** Control characters, such as terminal escapes, and lone surrogates. */
const unprintable = /\p{C}/gu;

/** Returns the origin of a request for the audit log; `token` is the id of its token. */
export function getOrigin(request: Request, token?: string): AuditOrigin {
  const ip = readGatewayContext(request).address;
  const userAgent = request.headers.get('user-agent')?.slice(0, maxUserAgentLength).replace(unprintable, '');
  return { ...(ip ? { ip } : {}), ...(userAgent ? { userAgent } : {}), ...(token === undefined ? {} : { token }) };
}

const useIntervalMilliseconds = 10 * 60_000;

/** Records the use of a token after the response, at most every ten minutes, so that most reads write nothing. */
export function recordTokenUse(
  env: Pick<Environment, 'DB'>,
  background: Background,
  { token, lastUsedAt }: CallerRecord,
): void {
  const now = Date.now();
  if (lastUsedAt !== null && now - lastUsedAt < useIntervalMilliseconds) return;
  const { db } = connect(env.DB, { intent: 'write' });
  const updateLastUse = db.update(tokens).set({ lastUsedAt: now }).where(sql`${tokens.id} = ${token}`);
  background.waitUntil(
    updateLastUse.run().catch((error: unknown) => {
      if (findStorageFull(error) !== undefined) return;
      log('error', 'could not store when a token was used', { cause: describeError(error) });
    }),
  );
}

export const defaultMaxBodyBytes = 1024 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Reads a JSON body of at most `limit` bytes; undefined if it is empty.
 * @throws ApiError too_large, unsupported_media_type, invalid
 */
export async function readBody(request: Request, limit: number): Promise<{ bytes: Bytes; value: unknown }> {
  requireUncompressed(request);
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return { bytes, value: undefined };
  requireType(request, 'application/json');
  return { bytes, value: parseStrictJson(decode(bytes), 'body') };
}

/**
 * Reads the fields of an HTML form of at most `limit` bytes. Repeated fields are rejected.
 * @throws ApiError too_large, unsupported_media_type, invalid
 */
export async function readForm(request: Request, limit: number): Promise<Record<string, string>> {
  requireUncompressed(request);
  const bytes = await readBytes(request, limit);
  requireType(request, 'application/x-www-form-urlencoded');
  const fields = [...new URLSearchParams(decode(bytes))];
  const names = new Set(fields.map(([name]) => name));
  if (names.size < fields.length) throw invalid([{ path: 'body', message: 'must not repeat a field' }]);
  return Object.fromEntries(fields);
}

/** @throws ApiError unsupported_media_type if the body has a `Content-Encoding`, such as gzip */
export function requireUncompressed(request: Request): void {
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return;
  throw new ApiError('unsupported_media_type', 'The body must be sent without compression (`Content-Encoding`).');
}

function requireType(request: Request, expected: string): void {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== expected) throw new ApiError('unsupported_media_type', `The body must be sent as ${expected}.`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid([{ path: 'body', message: 'must be UTF-8' }]);
  }
}

/**
 * Limits of reading the rest of a rejected body. A client whose connection is closed while it sends may never receive
 * the response, so the rest of the body is read and dropped. The limits allow the bytes that an honest client has
 * already sent, but a slow client must not delay the response.
 */
const maxDrainedBytes = 32 * 1024 * 1024;
const maxDrainMilliseconds = 2000;

/** Reads and drops the rest of a body, so that the client receives the response instead of a broken connection. */
export async function discardBody(request: Request): Promise<void> {
  if (request.body === null || request.bodyUsed) return;
  if (Number(request.headers.get('content-length') ?? 0) > maxDrainedBytes) return;
  await drain(request.body.getReader());
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Ends at a limit or when the body breaks off. Neither is an error, because the response is already determined. */
async function drain(reader: Reader): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, maxDrainMilliseconds);
  await Promise.race([dropBytes(reader), timeout.promise]).catch(() => undefined);
  clearTimeout(timer);
  await reader.cancel().catch(() => undefined);
}

async function dropBytes(reader: Reader): Promise<void> {
  let remaining = maxDrainedBytes;
  for (let chunk = await reader.read(); !chunk.done && remaining > 0; chunk = await reader.read())
    remaining -= chunk.value.length;
}

const createBodyError = () => invalid([{ path: 'body', message: 'is incomplete or has a malformed chunk' }]);

/** A body cannot be read if the client broke it off or sent malformed chunks. */
async function readChunk(reader: Reader) {
  try {
    return await reader.read();
  } catch {
    throw createBodyError();
  }
}

/** Reads a body of at most `limit` bytes. @throws ApiError too_large, invalid */
export async function readBytes(request: Request, limit: number): Promise<Bytes> {
  if (request.body === null) return new Uint8Array();
  const declaredLength = request.headers.get('content-length');
  return declaredLength !== null && Number(declaredLength) <= limit
    ? readBodyBytes(request)
    : readChunks(request.body, limit);
}

/** A body with a `Content-Length` cannot be longer than declared, because the runtime does not read more. */
async function readBodyBytes(request: Request): Promise<Bytes> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch {
    throw createBodyError();
  }
}

async function readChunks(body: ReadableStream<Uint8Array>, limit: number): Promise<Bytes> {
  const reader: Reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await readChunk(reader); !chunk.done; chunk = await readChunk(reader)) {
    size += chunk.value.length;
    if (size > limit) {
      await drain(reader);
      throw bodyTooLarge(limit, uploadHint);
    }
    chunks.push(chunk.value);
  }
  return concatenate(chunks, size);
}

function concatenate(chunks: Uint8Array[], size: number): Bytes {
  const all = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}

interface ReadInput {
  query: unknown;
  body: unknown;
  /** The body as it was sent. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The fields and parameters that were ignored. */
  ignored: string[];
}

/** Reads and validates the query and the body of a request by the contract. @throws ApiError invalid, too_large, ... */
export async function readInput(name: string, endpoint: Endpoint, request: Request, url: URL): Promise<ReadInput> {
  const parameters = toQuery(url);
  // Authorization has already read the share link key.
  if (endpoint.visitors !== undefined && endpoint.query?.shape.shareKey === undefined) delete parameters.shareKey;
  const query = parseInput(parameters, endpoint.query ?? noQuery, { name, root: 'query' });
  if (endpoint.method === 'GET')
    return { query: query.value, body: undefined, bytes: new Uint8Array(), ignored: query.ignored };
  const { bytes, value } = await readBody(request, endpoint.maxBodyBytes ?? defaultMaxBodyBytes);
  // An update may repeat the fields that a read of the object returned.
  const isUpdate = endpoint.method !== 'POST' && endpoint.success === 200;
  const response = isUpdate ? endpoint.response : undefined;
  const body = parseInput(value, endpoint.body ?? noBody, { name, root: 'body', response });
  return {
    ...{ query: query.value, body: endpoint.body && body.value, bytes },
    ignored: [...new Set([...query.ignored, ...body.ignored])],
  };
}

/** A parameter that occurs once is a string, a repeated one an array. */
function toQuery({ search: text, searchParams: search }: URL): Record<string, string | string[]> {
  if (text === '') return {};
  return Object.fromEntries(
    [...new Set(search.keys())].map((key) => {
      const values = search.getAll(key);
      return [key, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

/** Returns the decoded parameters of the path, or undefined if one cannot be a valid id. */
export function readParams(endpoint: Endpoint, raw: Record<string, string>): Record<string, string> | undefined {
  try {
    const values = Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, decodeURIComponent(value)]));
    if (endpoint.params === undefined) return {};
    return endpoint.params.safeParse(values).data as Record<string, string> | undefined;
  } catch {
    return undefined;
  }
}

const maxDepth = 64;

/** The error for valid JSON that is rejected nevertheless. */
class Refusal extends Error {}

const createRefusal = (message: string): Error => new Refusal(message);

/**
 * Parses JSON by RFC 8259, and rejects input that parsers can interpret differently: repeated keys, `__proto__`, lone
 * surrogates, and nesting deeper than 64 levels. Takes linear time. `location` is the path of the value in the request.
 * @throws ApiError invalid
 */
export function parseStrictJson(text: string, location: string): unknown {
  try {
    inspect(text);
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Refusal ? error.message : `is not valid JSON: ${describeJsonError(text)}`;
    throw invalid([{ path: location, message }]);
  }
}

interface Level {
  keys: Set<string> | undefined;
  expectsKey: boolean;
}

/** Checks the structure only; the parser reports malformed JSON. */
function inspect(text: string): void {
  const levels: Level[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    const level = levels.at(-1);
    if (char === '"') {
      const end = findStringEnd(text, index);
      if (end === -1) return;
      inspectString(text.slice(index, end + 1), level);
      index = end;
    } else if (char === '{' || char === '[') {
      if (levels.length >= maxDepth) throw createRefusal(`must have at most ${maxDepth} levels of nesting`);
      levels.push({ keys: char === '{' ? new Set() : undefined, expectsKey: char === '{' });
    } else if (char === '}' || char === ']') levels.pop();
    else if (char === ',' && level !== undefined) level.expectsKey = level.keys !== undefined;
  }
}

/**
 * Returns the end of the string that starts at `start`, or -1. A regular expression would overflow the stack in a long
 * string.
 */
function findStringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

function inspectString(token: string, level: Level | undefined): void {
  const isKey = level?.keys !== undefined && level.expectsKey;
  // A string can have many megabytes, so it is decoded only if it has an escape that can change a key or encode a
  // surrogate.
  const value = token.includes(isKey ? '\\' : '\\u') ? parseString(token) : token.slice(1, -1);
  if (value === undefined) return;
  if (!value.isWellFormed()) throw createRefusal('must not contain lone surrogates');
  if (level?.keys === undefined || !isKey) return;
  level.expectsKey = false;
  if (value === '__proto__') throw createRefusal('must not have the key __proto__');
  if (level.keys.has(value)) throw createRefusal(`must not repeat the key ${JSON.stringify(value.slice(0, 64))}`);
  level.keys.add(value);
}

function parseString(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}

/** The parser's state: what the next token may be. */
type State = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end';

const space = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Describes the first syntax error in a text that `JSON.parse` rejects, with its line and column. */
export function describeJsonError(text: string): string {
  const offset = findError(text);
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = end + 1;
  }
  const position = `line ${line}, column ${offset - lineStart + 1}`;
  const sign = text.codePointAt(offset);
  if (sign === undefined) return `it ends too early, at ${position}`;
  return `unexpected ${JSON.stringify(String.fromCodePoint(sign))} at ${position}`;
}

function findError(text: string): number {
  const open: string[] = [];
  let state: State | undefined = 'value';
  for (let index = match(space, text, 0); ; index = match(space, text, index)) {
    if (index >= text.length) return text.length;
    const [token, end] = readToken(text, index);
    state = token === '' ? undefined : getNextState(state, token, open);
    if (state === undefined) return token === '' ? end : index;
    index = end;
  }
}

/**
 * Returns the first character of the next token and the offset after it. An invalid token is empty and ends at its
 * error.
 */
function readToken(text: string, start: number): [token: string, end: number] {
  const sign = text[start] ?? '';
  if ('{}[]:,'.includes(sign)) return [sign, start + 1];
  if (sign !== '"') {
    const end = match(scalar, text, start);
    return [end === start ? '' : '0', end];
  }
  for (let index = start + 1; index < text.length; index += 1) {
    if (text[index] === '"') return ['"', index + 1];
    if ((text[index] ?? '') < ' ') return ['', index];
    if (text[index] !== '\\') continue;
    const end = match(escapeSequence, text, index);
    if (end === index) return ['', index];
    index = end - 1;
  }
  return ['', text.length];
}

function getNextState(state: State, token: string, open: string[]): State | undefined {
  if (state === 'colon') return token === ':' ? 'value' : undefined;
  const isClosing = (token === '}' && open.at(-1) === '{') || (token === ']' && open.at(-1) === '[');
  if (isClosing && (state === 'comma or end' || state.endsWith(token))) {
    open.pop();
    return 'comma or end';
  }
  if (state === 'comma or end') {
    if (token !== ',' || open.length === 0) return;
    return open.at(-1) === '{' ? 'key' : 'value';
  }
  if (state.startsWith('key')) return token === '"' ? 'colon' : undefined;
  if (token === '"' || token === '0') return 'comma or end';
  if (token !== '{' && token !== '[') return;
  open.push(token);
  return token === '{' ? 'key or }' : 'value or ]';
}

/** Returns the offset after the match of a sticky expression, or `start` if there is none. */
function match(expression: RegExp, text: string, start: number): number {
  expression.lastIndex = start;
  return expression.test(text) ? expression.lastIndex : start;
}
