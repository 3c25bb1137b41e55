import type { CallerRecord } from '@octavo/db';
import { connect, runBatch, tokens } from '@octavo/db';
import type { AuditOrigin, Endpoint, Issue, UnknownField, ValueSchema } from '@octavo/schema';
import {
  ApiError,
  bodyTooLarge,
  defaultMaxBodyBytes,
  findNearestWord,
  findStorageFull,
  findUnknownFields,
  invalid,
  noBody,
  noQuery,
  uploadHint,
  validate,
} from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Background, Environment } from './environment.ts';
import { readGatewayContext } from './forward.ts';
import { LruMap } from './lru-map.ts';
import { officialFields } from './official-fields.ts';
import type { BodyReader } from './respond.ts';
import { describeError, drain, log } from './respond.ts';
import { parseStrictJson } from './strict-json.ts';

const maxUserAgentLength = 256;
/** Matches control characters, such as terminal escapes, and lone surrogates. */
const unprintable = /\p{C}/gu;

/** Returns the origin of a request for the audit log; `token` is the id of its token. */
export function getOrigin(request: Request, token?: string): AuditOrigin {
  const ip = readGatewayContext(request).address;
  const userAgent = request.headers.get('user-agent')?.slice(0, maxUserAgentLength).replace(unprintable, '');
  return { ...(ip ? { ip } : {}), ...(userAgent ? { userAgent } : {}), ...(token === undefined ? {} : { token }) };
}

const useIntervalMilliseconds = 10 * 60_000;

/**
 * Records the use of a token after the response, at most every ten minutes, so that most reads write nothing. A use
 * also extends a session. The first use of a new secret of a session ends the former one.
 */
export function recordTokenUse(
  env: Pick<Environment, 'DB'>,
  background: Background,
  { token, lastUsedAt }: CallerRecord,
): void {
  const now = Date.now();
  if (lastUsedAt !== null && now - lastUsedAt < useIntervalMilliseconds) return;
  const { db } = connect(env.DB, { intent: 'write' });
  const end = now + formerSecretMilliseconds;
  const endFormerSecrets = db
    .update(tokens)
    .set({ expiresAt: sql`MIN(expires_at, ${end})`, endsAt: sql`MIN(ends_at, ${end})` })
    .where(sql`session = (SELECT session FROM tokens WHERE id = ${token} AND last_used_at IS NULL) AND id <> ${token}`);
  const expiresAt = sql`CASE WHEN session IS NULL THEN expires_at ELSE MIN(ends_at, ${now + sessionIdleMilliseconds}) END`;
  const updateLastUse = db.update(tokens).set({ lastUsedAt: now, expiresAt }).where(sql`${tokens.id} = ${token}`);
  background.waitUntil(
    runBatch(db, [...(lastUsedAt === null ? [endFormerSecrets] : []), updateLastUse]).catch((error: unknown) => {
      if (findStorageFull(error) !== undefined) return;
      log('error', 'could not store when a token was used', { cause: describeError(error) });
    }),
  );
}

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Reads a JSON body of at most `limit` bytes; undefined if it is empty.
 * @throws ApiError too_large, unsupported_media_type, invalid
 */
async function readBody(request: Request, limit: number): Promise<{ bytes: Bytes; value: unknown }> {
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

/**
 * Requires a body without compression. @throws ApiError unsupported_media_type if the body has a `Content-Encoding`,
 * such as gzip
 */
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

const createBodyError = () => invalid([{ path: 'body', message: 'is incomplete or has a malformed chunk' }]);

/** A body cannot be read if the client broke it off or sent malformed chunks. */
async function readChunk(reader: BodyReader) {
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
  const reader: BodyReader = body.getReader();
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
  const query = readQuery(name, endpoint, url);
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

/** Returns the first media type of the `Accept` header: `text/html` for browsers that open a page. */
export const getPreferredType = ({ headers }: Request): string | undefined =>
  headers.get('accept')?.split(',')[0]?.split(';')[0]?.trim().toLowerCase();

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

/** A session ends when it has not been used for this time. */
export const sessionIdleMilliseconds = 14 * 24 * 60 * 60_000;

/** A former secret of a session is accepted for this time after the first use of the new one. */
export const formerSecretMilliseconds = 60_000;

/** The response header that lists fields and parameters that were ignored. */
export const ignoredFieldsHeader = 'octavo-ignored-fields';

/** Maximum number of issues, and of ignored fields, that are returned. */
const maxIssues = 20;
const maxIgnored = 100;

/**
 * Maximum number of objects and arrays in a body, excluding free-form values. It bounds the search for unknown fields.
 */
const maxObjects = 20_000;

interface ParsedInput {
  value: unknown;
  /** The fields and parameters that were ignored. */
  ignored: string[];
}

interface InputDescription {
  /** The name of the operation. */
  name: string;
  root: 'query' | 'body';
  /** The schema of the object as a read returns it. The body may contain the same fields. */
  response?: ValueSchema<unknown> | undefined;
}

/**
 * Validates a query or a body. Fields that the official client has and we do not support, and fields of the response,
 * are removed from the value and ignored. @throws ApiError invalid
 */
export function parseInput(
  value: unknown,
  schema: ValueSchema<unknown>,
  { name, root, response }: InputDescription,
): ParsedInput {
  const official = officialFields[name] ?? [];
  const ignored = new Set<string>();
  const refused: Issue[] = [];
  const responses = response === undefined ? [] : [response];
  const budget = { objects: maxObjects };
  const searched = { schemas: [schema], responses, path: [root], pattern: root, budget };
  for (const field of findUnknownFields(value, searched)) {
    if (field.isResponseField || official.includes(field.pattern)) {
      if (ignored.size < maxIgnored) ignored.add(field.pattern);
      // Remove the ignored field, because strict schemas would reject it.
      delete field.object[String(field.path.at(-1))];
    } else if (refused.push(describeUnknownField(field, root)) === maxIssues) break;
  }
  if (budget.objects < 0) throw invalid([{ path: root, message: `must have at most ${maxObjects} objects and lists` }]);
  const result = validate(schema, value);
  if (result.success && refused.length === 0) return { value: result.data, ignored: [...ignored] };
  const issues = result.success
    ? []
    : result.issues.map(({ path, message }) => ({ path: toPath([root, ...path]), message }));
  const paths = new Set(refused.map(({ path }) => path));
  throw invalid([...issues.filter(({ path }) => !paths.has(path)), ...refused].slice(0, maxIssues));
}

const maxKeyLength = 100;

const toPath = (keys: PropertyKey[]): string => keys.map((key) => String(key).slice(0, maxKeyLength)).join('.');

function describeUnknownField({ path, known }: UnknownField, root: InputDescription['root']): Issue {
  const message = `is not a known ${root === 'query' ? 'parameter' : 'field'}`;
  const nearest = findNearestWord(String(path.at(-1)), [...known]);
  return { path: toPath(path), message: nearest === undefined ? message : `${message}. Did you mean \`${nearest}\`?` };
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

/** The parsed queries of each endpoint, limited in their number and length. Queries with secrets are not cached. */
const parsedQueries = new WeakMap<Endpoint, LruMap<ParsedInput>>();
const maxQueries = 20;
const maxQueryLength = 100;

/** Freezes a value with all objects in it, so that no handler can change what others receive. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

/** Reads and validates the query of a request by the contract. @throws ApiError invalid */
function readQuery(name: string, endpoint: Endpoint, url: URL): ParsedInput {
  const ofEndpoint = parsedQueries.get(endpoint) ?? new LruMap<ParsedInput>(maxQueries);
  const cached = ofEndpoint.get(url.search);
  if (cached !== undefined) return cached;
  const parameters = toQuery(url);
  const isSecret = 'shareKey' in parameters;
  // Authorization has already read the share link key.
  if (endpoint.visitors !== undefined && endpoint.query?.shape.shareKey === undefined) delete parameters.shareKey;
  const parsed = parseInput(parameters, endpoint.query ?? noQuery, { name, root: 'query' });
  if (isSecret || url.search.length > maxQueryLength) return parsed;
  ofEndpoint.set(url.search, deepFreeze(parsed));
  parsedQueries.set(endpoint, ofEndpoint);
  return parsed;
}
