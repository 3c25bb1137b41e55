import type { Claims } from '@octavo/schema';
import { decodeJwt } from 'jose';
import type { PublishingEnvironment } from '../environment.ts';
import type { OpenSite } from '../resolution/find-site.ts';
import type { PreviewPass } from '../resolution/visitors.ts';
import { passParameter, readPreviewPass, readSignedClaims } from '../resolution/visitors.ts';

/** What a visitor brings along: a token or a pass, and claims that nobody signed. */
export interface Session {
  jwt: string | undefined;
  preview: PreviewPass | undefined;
  unsigned: Claims;
}

/** The parameters of an address that tell claims: `visitor.plan=pro`. */
const claimPrefix = 'visitor.';
/** What browsers keep of a cookie, with its name. */
const maxCookieLength = 4000;

const tokenCookie = ({ site }: OpenSite): string => `octavo-visitor-${site.id}`;
const claimsCookie = ({ site }: OpenSite): string => `octavo-claims-${site.id}`;

function cookieOf(request: Request, name: string): string | undefined {
  for (const each of (request.headers.get('cookie') ?? '').split(';')) {
    const [key = '', ...value] = each.trim().split('=');
    if (key === name) return decoded(value.join('='));
  }
  return undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** What a parameter says: a number, true or false, or a text. */
function claimOf(text: string): string | number | boolean {
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

/** What the visitor of a site has brought before, and keeps in cookies of that site alone. */
export async function readSession(request: Request, env: PublishingEnvironment, open: OpenSite): Promise<Session> {
  const jwt = cookieOf(request, tokenCookie(open));
  const preview = await readPreviewPass(env, jwt ?? null);
  return { jwt, preview, unsigned: readClaims(cookieOf(request, claimsCookie(open))) };
}

/** The path that cookies of a site are sent to. */
const pathOf = (url: URL, { depth }: OpenSite): string =>
  ['', ...url.pathname.split('/').filter(Boolean).slice(0, depth), ''].join('/');

interface Kept {
  name: string;
  value: string;
  /** Seconds; for as long as the browser is open where there is none. */
  age?: number | undefined;
}

function setCookie(url: URL, open: OpenSite, { name, value, age }: Kept): string {
  const parts = [`${name}=${encodeURIComponent(value)}`, `Path=${pathOf(url, open)}`, 'HttpOnly', 'SameSite=Lax'];
  if (url.protocol === 'https:') parts.push('Secure');
  if (age !== undefined) parts.push(`Max-Age=${Math.max(0, Math.floor(age))}`);
  return parts.join('; ');
}

/** How long a token is right, by itself. */
function ageOf(jwt: string): number | undefined {
  const { exp } = decodeJwt(jwt);
  return exp === undefined ? undefined : exp - Date.now() / 1000;
}

/** To the same address without what was read of it, which goes no further: not into histories, nor into referrers. */
function leadOn(url: URL, open: OpenSite, kept: Kept[]): Response {
  const rest = new URL(url);
  for (const name of [...rest.searchParams.keys()])
    if (name === passParameter || name.startsWith(claimPrefix)) rest.searchParams.delete(name);
  // Two slashes at the beginning would be the address of another host.
  const location = `${rest.pathname.replace(/^\/+/, '/')}${rest.search}`;
  const headers = new Headers({ 'cache-control': 'no-store', location });
  for (const each of kept) headers.append('set-cookie', setCookie(url, open, each));
  return new Response(null, { status: 303, headers });
}

/**
 * Takes what an address brings: a token that is right, and claims, go into cookies of the site, and the visitor to the
 * same address without them. Undefined where the address brings nothing that is kept.
 */
export async function takeSession(
  url: URL,
  env: PublishingEnvironment,
  { open, unsigned }: { open: OpenSite; unsigned: Claims },
): Promise<Response | undefined> {
  const kept: Kept[] = [];
  const jwt = url.searchParams.get(passParameter);
  if (jwt !== null && jwt.length < maxCookieLength) {
    const isOfSite = (await readPreviewPass(env, jwt))?.site === open.site.id;
    if (isOfSite || (await readSignedClaims(env, open.site, jwt)) !== undefined)
      kept.push({ name: tokenCookie(open), value: jwt, age: ageOf(jwt) });
  }
  const told = [...url.searchParams].filter(([name]) => name.startsWith(claimPrefix));
  if (told.length > 0) {
    const claims = told.map(([name, value]) => [name.slice(claimPrefix.length), claimOf(value)]);
    const value = JSON.stringify({ ...unsigned, ...Object.fromEntries(claims) });
    if (encodeURIComponent(value).length < maxCookieLength) kept.push({ name: claimsCookie(open), value });
  }
  return kept.length === 0 ? undefined : leadOn(url, open, kept);
}

/** Ends the session of a visitor, and leads to the first page of the site. */
export function endSession(url: URL, open: OpenSite): Response {
  const gone = [tokenCookie(open), claimsCookie(open)].map((name) => ({ name, value: '', age: 0 }));
  const headers = new Headers({ 'cache-control': 'no-store', location: pathOf(url, open) });
  for (const each of gone) headers.append('set-cookie', setCookie(url, open, each));
  return new Response(null, { status: 303, headers });
}
