import {
  hashBearerToken,
  hashText,
  isOwnHost,
  isSiteHost,
  parseSiteUrl,
  readSessionCookie,
  toCanonicalSiteUrl,
} from '@octavo/runtime';
import type { DirectoryKey, DirectoryKind } from '@octavo/schema';
import { chosenByUsers } from './ask-cells.ts';
import type { DirectoryEnvironment } from './environment.ts';

/** The paths that name an object, with the kind of it. Requests of users are found by their token instead. */
const paths: [path: RegExp, kind: DirectoryKind][] = [
  [/^\/(?:v1|app)\/orgs\/([\w-]{1,64})(?:\/|$)/, 'organization'],
  [/^\/(?:files|uploads)\/([\w-]{1,64})\//, 'organization'],
  [/^\/(?:v1\/spaces|app\/spaces|live)\/([\w-]{1,64})(?:\/|$)/, 'space'],
  [/^\/(?:v1|app)\/collections\/([\w-]{1,64})(?:\/|$)/, 'collection'],
  [/^\/openapi\/([\w-]{1,64})\//, 'openapi-spec'],
  [/^\/pdf\/([\w-]{1,64})\//, 'pdf'],
  [/^\/sso\/saml\/([\w-]{1,64})\//, 'saml-provider'],
  [/^\/integrations\/[\w.-]{1,100}\/installations\/([\w-]{1,64})(?:\/|$)/, 'installation'],
  [/^\/(?:v1\/integrations|app\/integrations|integrations|integration-images)\/([\w.-]{1,100})(?:\/|$)/, 'integration'],
];
const signInPath = /^\/sign-in\/([\w-]{1,256})$/;
const publishedPath = /^\/v1\/urls\/published\/?$/;
const tokenFormPath = '/login/token';
/** The API, the pages that use the session of a browser, and the files that they load. */
const sessionPath = /^\/(?:v1|app|logout|~\/assets)(?:\/|$)/;
const maxReadBytes = 65_536;

/**
 * Returns the key that determines the cell of a request: the site of a page, the token, or else the object in the path.
 * Undefined if the request names no object. The key is not verified here, but by the cell.
 */
export async function findKey(
  request: Request,
  url: URL,
  env: DirectoryEnvironment,
): Promise<DirectoryKey | undefined> {
  const { pathname } = url;
  if (isSiteHost(env, url.hostname) || pathname.startsWith('/-/'))
    return findSiteKey(env, toCanonicalSiteUrl(env, url).href);
  const token = await hashToken(request, url, env);
  if (token !== undefined) return { kind: 'token', value: token };
  const secret = signInPath.exec(pathname)?.[1];
  if (secret !== undefined) return { kind: 'sign-in-link', value: await hashText(secret) };
  if (publishedPath.test(pathname)) return findSiteKey(env, await readPublishedUrl(request, url));
  for (const [path, kind] of paths) {
    const value = path.exec(pathname)?.[1];
    if (value !== undefined) return createKey(kind, value);
  }
  return undefined;
}

/** Returns the hash of a request's token, from its header, the form of the sign-in page, or its session. */
async function hashToken(request: Request, { pathname }: URL, env: DirectoryEnvironment): Promise<string | undefined> {
  const authorization = request.headers.get('authorization');
  if (authorization !== null) return hashBearerToken(authorization);
  const token =
    pathname === tokenFormPath
      ? new URLSearchParams(await readSmallBody(request)).get('token')?.trim()
      : sessionPath.test(pathname) && readSessionCookie(request, env)?.token;
  return token ? hashBearerToken(`Bearer ${token}`) : undefined;
}

/** Names are in lower case, because the cells ignore their case: otherwise one object would have very many keys. */
const createKey = (kind: DirectoryKind, value: string): DirectoryKey => ({
  kind,
  value: chosenByUsers.has(kind) ? value.toLowerCase() : value,
});

const maxAddressLength = 512;
/** An address that a site can have. */
const siteAddress = /^[^/]+(?:\/[\w-]+)*$/;

/**
 * Returns the key for a site's URL: its organization or, if the site has its own address, the longest possible address.
 */
function findSiteKey(env: DirectoryEnvironment, text: string): DirectoryKey | undefined {
  const { candidates = [], url } = parseSiteUrl(env, text) ?? {};
  const [first] = candidates;
  if (first?.by === 'organization') return createKey('organization', first.organization);
  if (url === undefined || isOwnHost(env, url.hostname)) return undefined;
  const addresses = candidates.map((each) => (each.by === 'proxy' ? each.proxy : url.hostname));
  const value = addresses.findLast((each) => each.length <= maxAddressLength && siteAddress.test(each));
  return value === undefined ? undefined : { kind: 'site', value };
}

/** Returns the URL of a site that a request without a user's token wants to resolve. */
async function readPublishedUrl(request: Request, { searchParams }: URL): Promise<string> {
  const text = await readSmallBody(request);
  if (text === '') return searchParams.get('url') ?? '';
  try {
    const { url } = (JSON.parse(text) ?? {}) as { url?: unknown };
    return typeof url === 'string' ? url : '';
  } catch {
    return '';
  }
}

/** Whether a body can be read before the request is forwarded. */
export const hasSmallBody = (headers: Headers): boolean =>
  Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY) <= maxReadBytes;

/** Returns the body of a request, which can still be forwarded afterwards; empty if the body is too long. */
const readSmallBody = async (request: Request): Promise<string> =>
  request.body === null || !hasSmallBody(request.headers) ? '' : request.clone().text();
