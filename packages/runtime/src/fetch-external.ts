import ipaddr from 'ipaddr.js';
import type { Environment } from './environment.ts';

type FetchFault = 'address' | 'unreachable' | 'redirects' | 'status' | 'too_large' | 'timeout';

/** The error when a URL that a user provided cannot be fetched. Its message may be shown to that user. */
export class ExternalFetchError extends Error {
  override name = 'ExternalFetchError';
  fault: FetchFault;
  /** The status of the response, if the fault is `status`. */
  status: number | undefined;

  constructor(fault: FetchFault, message: string, status?: number) {
    super(message);
    this.fault = fault;
    this.status = status;
  }
}

export interface FetchLimits {
  /** Time limit for the whole fetch, including redirects and body. */
  milliseconds: number;
  /** Maximum size of the decompressed body. */
  bytes: number;
  redirects?: number;
  /** The value of the `Accept` header. */
  accept?: string;
  /** Additional headers, which are also sent to redirects. */
  headers?: Record<string, string>;
}

export interface FetchedResource {
  /** The final URL after redirects. */
  url: string;
  headers: Headers;
  bytes: Uint8Array;
}

const getUserAgent = (purpose: string): string => `Octavo (+${purpose})`;
const maxRedirects = 5;

/**
 * Fetches a URL that a user provided. The URL must use http or https and have no credentials. Private addresses are
 * rejected, also after each redirect. The network that the worker is bound to rejects names that resolve to a private
 * address, because the address is known only when the connection is made. @throws ExternalFetchError
 */
export async function fetchExternal(
  env: Pick<Environment, 'OCTAVO_IMPORT_ALLOW_PRIVATE'>,
  address: string,
  limits: FetchLimits,
): Promise<FetchedResource> {
  const signal = AbortSignal.timeout(limits.milliseconds);
  try {
    const { url, response } = await follow(env, address, { limits, signal });
    return { url, headers: response.headers, bytes: await readLimited(response, limits.bytes) };
  } catch (error) {
    throw toFetchError(error, signal, limits.milliseconds);
  }
}

type AddressSettings = Pick<Environment, 'OCTAVO_IMPORT_ALLOW_PRIVATE'>;

/**
 * Returns why a URL that a user provided must not be fetched, or undefined if it may be fetched. Private addresses can
 * be allowed by a setting.
 */
export const findExternalAddressFault = (env: AddressSettings, address: string): string | undefined =>
  env.OCTAVO_IMPORT_ALLOW_PRIVATE === '1' ? findUrlProblem(address) : findAddressFault(address);

function requirePublicAddress(env: AddressSettings, address: string): void {
  const fault = findExternalAddressFault(env, address);
  if (fault !== undefined) throw new ExternalFetchError('address', fault);
}

function toFetchError(error: unknown, signal: AbortSignal, milliseconds: number): ExternalFetchError {
  if (error instanceof ExternalFetchError) return error;
  const isLate = signal.aborted || (error instanceof DOMException && error.name === 'TimeoutError');
  if (isLate) return new ExternalFetchError('timeout', `did not respond within ${milliseconds / 1000} s`);
  return new ExternalFetchError('unreachable', 'could not be reached');
}

/** A POST request to a URL that a user provided, with the maximum number of bytes of the response to read. */
export interface PostRequest {
  body: string;
  headers: Record<string, string>;
  milliseconds: number;
  bytes: number;
}

/** The response, regardless of its status. */
export interface PostResponse {
  status: number;
  headers: Headers;
  /** The first bytes of the body that were received. */
  beginning: Uint8Array;
}

/**
 * Posts to a URL that a user provided, with the same checks as `fetchExternal`. Redirects are not followed. Only the
 * first bytes of the body are read; a longer, broken or missing body is not an error.
 * @throws ExternalFetchError if no status was received
 */
export async function postExternal(env: AddressSettings, address: string, posting: PostRequest): Promise<PostResponse> {
  const { body, milliseconds, bytes } = posting;
  requirePublicAddress(env, address);
  const signal = AbortSignal.timeout(milliseconds);
  const headers = { ...posting.headers, 'user-agent': getUserAgent('webhook') };
  const response = await fetch(address, { method: 'POST', redirect: 'manual', signal, headers, body }).catch(
    (error: unknown) => {
      throw toFetchError(error, signal, milliseconds);
    },
  );
  return { status: response.status, headers: response.headers, beginning: await readStart(response, bytes) };
}

async function readStart(response: Response, limit: number): Promise<Uint8Array> {
  const received = { chunks: [] as Uint8Array[], size: 0 };
  if (response.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  try {
    while (received.size < limit) {
      const { done, value } = await reader.read();
      if (done) break;
      received.chunks.push(value.subarray(0, limit - received.size));
      received.size += value.length;
    }
    await reader.cancel();
  } catch {
    // The body broke off. Return the chunks received so far.
  }
  return concatenate(received.chunks);
}

async function follow(
  env: Pick<Environment, 'OCTAVO_IMPORT_ALLOW_PRIVATE'>,
  address: string,
  { limits, signal }: { limits: FetchLimits; signal: AbortSignal },
): Promise<{ url: string; response: Response }> {
  const { accept = '*/*', redirects = maxRedirects, headers: extraHeaders } = limits;
  let url = address;
  for (let hops = 0; hops <= redirects; hops += 1) {
    requirePublicAddress(env, url);
    const headers = { ...extraHeaders, accept, 'user-agent': getUserAgent('import') };
    const response = await fetch(url, { redirect: 'manual', signal, headers });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) {
      if (response.ok) return { url, response };
      await response.body?.cancel();
      throw new ExternalFetchError('status', `returned ${response.status}`, response.status);
    }
    await response.body?.cancel();
    if (!URL.canParse(location, url)) throw new ExternalFetchError('redirects', 'redirects to an invalid URL');
    url = new URL(location, url).href;
  }
  throw new ExternalFetchError('redirects', `redirects more than ${redirects} times`);
}

async function readLimited(response: Response, limit: number): Promise<Uint8Array> {
  const createTooLargeError = () => new ExternalFetchError('too_large', `is larger than ${limit} bytes`);
  if (response.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    size += chunk.value.length;
    if (size > limit) {
      await reader.cancel();
      throw createTooLargeError();
    }
    chunks.push(chunk.value);
  }
  return concatenate(chunks);
}

function concatenate(chunks: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function findUrlProblem(address: string): string | undefined {
  if (!URL.canParse(address)) return 'must be a URL';
  const { protocol, username, password } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must be an http or https URL';
  return username === '' && password === '' ? undefined : 'must not contain credentials';
}

/**
 * Returns why a server must not fetch a URL: its scheme is not http or https, it has credentials, or its host is in a
 * private network. The URL parser has already converted all spellings of an IPv4 address to dotted decimals.
 */
export function findAddressFault(address: string): string | undefined {
  const fault = findUrlProblem(address);
  if (fault !== undefined) return fault;
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  return isPublic(host) ? undefined : `must not point to a private address (${host})`;
}

function isPublic(host: string): boolean {
  if (!ipaddr.isValid(host))
    return host.includes('.') && !/\.(?:local|localhost|internal|home\.arpa|lan|intranet)$/i.test(host);
  const parsed = ipaddr.process(host);
  // Only 2000::/3 of IPv6 is allocated. Other addresses can stand for an IPv4 address, such as ::127.0.0.1.
  const isAllocated = !(parsed instanceof ipaddr.IPv6) || parsed.match(ipaddr.IPv6.parseCIDR('2000::/3'));
  return isAllocated && parsed.range() === 'unicast';
}
