import type { Claims } from '@octavo/schema';
import { decodeJwt } from 'jose';
import type { PublishingEnvironment } from '../environment.ts';
import type { OpenSite } from '../resolution/find-site.ts';
import type { PreviewPass } from '../resolution/visitors.ts';
import { passParameter, readPreviewPass, readSignedClaims } from '../resolution/visitors.ts';

/** Credentials of a visitor: a token or a preview pass, and unsigned claims. */
export interface Session {
  jwt: string | undefined;
  preview: PreviewPass | undefined;
  unsignedClaims: Claims;
}

/** Prefix of query parameters with claims: `visitor.plan=pro`. */
const claimPrefix = 'visitor.';
/** Browsers limit a cookie, including its name, to about this length. */
const maxCookieLength = 4000;

const getTokenCookie = ({ site }: OpenSite): string => `octavo-visitor-${site.id}`;
const getClaimsCookie = ({ site }: OpenSite): string => `octavo-claims-${site.id}`;

function readCookie(request: Request, name: string): string | undefined {
  for (const each of (request.headers.get('cookie') ?? '').split(';')) {
    const [key = '', ...value] = each.trim().split('=');
    if (key === name) return decodeValue(value.join('='));
  }
  return undefined;
}

function decodeValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Parses a claim: a number, true, false or a text. */
function parseClaim(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,15}(?:\.\d{1,6})?$/.test(text) ? Number(text) : text;
}

function readClaims(text: string | undefined): Claims {
  if (text === undefined) return {};
  try {
    const claims: unknown = JSON.parse(text);
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? (claims as Claims) : {};
  } catch {
    return {};
  }
}

/** Reads a visitor's session from the site's cookies. */
export async function readSession(request: Request, env: PublishingEnvironment, open: OpenSite): Promise<Session> {
  const jwt = readCookie(request, getTokenCookie(open));
  const preview = await readPreviewPass(env, jwt ?? null);
  return { jwt, preview, unsignedClaims: readClaims(readCookie(request, getClaimsCookie(open))) };
}

/** The path of the site's cookies. */
const getCookiePath = (url: URL, { depth }: OpenSite): string =>
  ['', ...url.pathname.split('/').filter(Boolean).slice(0, depth), ''].join('/');

interface Cookie {
  name: string;
  value: string;
  /** Seconds; undefined for a cookie that lasts until the browser is closed. */
  age?: number | undefined;
}

function toSetCookieHeader(url: URL, open: OpenSite, { name, value, age }: Cookie): string {
  const parts = [
    `${name}=${encodeURIComponent(value)}`,
    `Path=${getCookiePath(url, open)}`,
    'HttpOnly',
    'SameSite=Lax',
  ];
  if (url.protocol === 'https:') parts.push('Secure');
  if (age !== undefined) parts.push(`Max-Age=${Math.max(0, Math.floor(age))}`);
  return parts.join('; ');
}

/** Returns the remaining lifetime of a token in seconds, if it has one. */
function getTokenAge(jwt: string): number | undefined {
  const { exp } = decodeJwt(jwt);
  return exp === undefined ? undefined : exp - Date.now() / 1000;
}

/** Redirects to the same URL without the credentials, to keep them out of browser histories and referrers. */
function redirectWithCookies(url: URL, open: OpenSite, cookies: Cookie[]): Response {
  const rest = new URL(url);
  for (const name of [...rest.searchParams.keys()])
    if (name === passParameter || name.startsWith(claimPrefix)) rest.searchParams.delete(name);
  // Two slashes at the start would be a URL of another host.
  const location = `${rest.pathname.replace(/^\/+/, '/')}${rest.search}`;
  const headers = new Headers({ 'cache-control': 'no-store', location });
  for (const cookie of cookies) headers.append('set-cookie', toSetCookieHeader(url, open, cookie));
  return new Response(null, { status: 303, headers });
}

/**
 * Moves a valid token and claims from the URL into cookies of the site and redirects to the URL without them. Returns
 * undefined if the URL has none.
 */
export async function moveCredentialsToCookies(
  url: URL,
  env: PublishingEnvironment,
  { open, unsignedClaims }: { open: OpenSite; unsignedClaims: Claims },
): Promise<Response | undefined> {
  const cookies: Cookie[] = [];
  const jwt = url.searchParams.get(passParameter);
  if (jwt !== null && jwt.length < maxCookieLength) {
    const isOfSite = (await readPreviewPass(env, jwt))?.site === open.site.id;
    if (isOfSite || (await readSignedClaims(env, open.site, jwt)) !== undefined)
      cookies.push({ name: getTokenCookie(open), value: jwt, age: getTokenAge(jwt) });
  }
  const claimParameters = [...url.searchParams].filter(([name]) => name.startsWith(claimPrefix));
  if (claimParameters.length > 0) {
    const claims = claimParameters.map(([name, value]) => [name.slice(claimPrefix.length), parseClaim(value)]);
    const value = JSON.stringify({ ...unsignedClaims, ...Object.fromEntries(claims) });
    if (encodeURIComponent(value).length < maxCookieLength) cookies.push({ name: getClaimsCookie(open), value });
  }
  return cookies.length === 0 ? undefined : redirectWithCookies(url, open, cookies);
}

/** Ends the session of a visitor and redirects to the home page. */
export function endSession(url: URL, open: OpenSite): Response {
  const expiredCookies = [getTokenCookie(open), getClaimsCookie(open)].map((name) => ({ name, value: '', age: 0 }));
  const headers = new Headers({ 'cache-control': 'no-store', location: getCookiePath(url, open) });
  for (const each of expiredCookies) headers.append('set-cookie', toSetCookieHeader(url, open, each));
  return new Response(null, { status: 303, headers });
}
