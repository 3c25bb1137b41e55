import ipaddr from 'ipaddr.js';
import type { Environment } from './environment.ts';

type FetchFault = 'address' | 'unreachable' | 'redirects' | 'status' | 'too_large' | 'timeout';

/** Why an address that a user gave could not be fetched; the message may be shown to that user. */
export class ExternalFetchError extends Error {
  override name = 'ExternalFetchError';
  fault: FetchFault;
  /** The status that was answered, where that is what is wrong. */
  status: number | undefined;

  constructor(fault: FetchFault, message: string, status?: number) {
    super(message);
    this.fault = fault;
    this.status = status;
  }
}

export interface FetchLimits {
  /** For all of it, redirects and body too. */
  milliseconds: number;
  /** Of the body as it is after decompression. */
  bytes: number;
  redirects?: number;
  /** What to ask for, as the `Accept` header has it. */
  accept?: string;
  /** More headers, which redirects get too. */
  headers?: Record<string, string>;
}

export interface FetchedResource {
  /** Where the redirects led. */
  url: string;
  headers: Headers;
  bytes: Uint8Array;
}

const getUserAgent = (purpose: string): string => `Octavo (+${purpose})`;
const maxRedirects = 5;

/**
 * Fetches an address that a user gave: http and https only, without credentials, refused where it is private, after
 * every redirect again. A name that leads to a private address is refused by the network that the worker is bound to:
 * only at the moment of connecting is it known what it leads to.
 * @throws ExternalFetchError
 */
export async function fetchExternal(
  env: Pick<Environment, 'OCTAVO_IMPORT_ALLOW_PRIVATE'>,
  address: string,
  limits: FetchLimits,
): Promise<FetchedResource> {
  const signal = AbortSignal.timeout(limits.milliseconds);
  try {
    const { url, response } = await follow(env, address, { limits, signal });
    return { url, headers: response.headers, bytes: await readBounded(response, limits.bytes) };
  } catch (error) {
    throw toFetchError(error, signal, limits.milliseconds);
  }
}

type AddressSettings = Pick<Environment, 'OCTAVO_IMPORT_ALLOW_PRIVATE'>;

/** What is wrong with an address that a user gave, where private ones may be allowed. */
export const findExternalAddressFault = (env: AddressSettings, address: string): string | undefined =>
  env.OCTAVO_IMPORT_ALLOW_PRIVATE === '1' ? findSchemeFault(address) : findAddressFault(address);

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

/** What is sent to an address that a user gave, and how much of the answer is read. */
export interface PostRequest {
  body: string;
  headers: Record<string, string>;
  milliseconds: number;
  bytes: number;
}

/** What was answered, whatever its status. */
export interface PostResponse {
  status: number;
  headers: Headers;
  /** The beginning of the body, as far as it came. */
  beginning: Uint8Array;
}

/**
 * Posts to an address that a user gave, which is looked at as `fetchExternal` does. Redirects are not followed, and of the
 * body a beginning is read: that it has more, breaks off or does not come changes nothing of what was answered.
 * @throws ExternalFetchError where no status was answered
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
  return { status: response.status, headers: response.headers, beginning: await readBeginning(response, bytes) };
}

async function readBeginning(response: Response, limit: number): Promise<Uint8Array> {
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
    // What has come by then is the beginning.
  }
  return concatenate(received.chunks);
}

async function follow(
  env: Pick<Environment, 'OCTAVO_IMPORT_ALLOW_PRIVATE'>,
  address: string,
  { limits, signal }: { limits: FetchLimits; signal: AbortSignal },
): Promise<{ url: string; response: Response }> {
  const { accept = '*/*', redirects = maxRedirects, headers: more } = limits;
  let url = address;
  for (let hops = 0; hops <= redirects; hops += 1) {
    requirePublicAddress(env, url);
    const headers = { ...more, accept, 'user-agent': getUserAgent('import') };
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

async function readBounded(response: Response, limit: number): Promise<Uint8Array> {
  const tooLarge = () => new ExternalFetchError('too_large', `is larger than ${limit} bytes`);
  if (response.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length;
    if (size > limit) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(read.value);
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

function findSchemeFault(address: string): string | undefined {
  if (!URL.canParse(address)) return 'must be a URL';
  const { protocol, username, password } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must be an http or https URL';
  return username === '' && password === '' ? undefined : 'must not contain credentials';
}

/**
 * What is wrong with an address for a server to fetch: other schemes, credentials, hosts of a private network. The parser
 * of URLs has made dotted decimals of all spellings of an IPv4 address by then.
 */
export function findAddressFault(address: string): string | undefined {
  const fault = findSchemeFault(address);
  if (fault !== undefined) return fault;
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  return isPublic(host) ? undefined : `must not point to a private address (${host})`;
}

function isPublic(host: string): boolean {
  if (!ipaddr.isValid(host))
    return host.includes('.') && !/\.(?:local|localhost|internal|home\.arpa|lan|intranet)$/i.test(host);
  const parsed = ipaddr.process(host);
  // Of IPv6 only 2000::/3 is given out: what is outside of it may stand for an IPv4 address, as ::127.0.0.1 does.
  const isAllocated = !(parsed instanceof ipaddr.IPv6) || parsed.match(ipaddr.IPv6.parseCIDR('2000::/3'));
  return isAllocated && parsed.range() === 'unicast';
}
