import type { Database, SiteRecord } from '@octavo/db';
import { fromQuery, prepareStatement, readRows, selection } from '@octavo/db';
import type { UsedClaims } from '@octavo/expression';
import { findUsedClaims, getConformingClaims } from '@octavo/expression';
import { bookmarkHeader, deriveBytes, deriveText, hashText, isBookmark, LruMap } from '@octavo/runtime';
import type { Claims, OrganizationId, ShareLinkId, SiteId, UserId } from '@octavo/schema';
import { PreviewPassPayload } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import type { PublishingEnvironment } from '../environment.ts';
import type { OpenSite } from './find-site.ts';

/** The credentials of a visitor and the requested path. */
interface Credentials {
  jwt: string | undefined;
  preview: PreviewPass | undefined;
  unsignedClaims: Claims;
  /** The segments of the path below the site's address. */
  segments: string[];
  redirectOnError: boolean;
}

/** An admitted visitor, and the path without the share key. */
export interface AdmittedVisitor {
  claims: Claims;
  shareKey?: string;
  shareLink?: ShareLinkId;
  segments: string[];
}

/** `signIn` if the visitor must sign in first. */
type Admission = AdmittedVisitor | 'signIn' | undefined;

/** Admits a visitor to the site; undefined if the visitor has no access. */
export async function admitVisitor(
  env: PublishingEnvironment,
  openSite: Pick<OpenSite, 'site' | 'jsonSchema' | 'links'>,
  credentials: Credentials,
): Promise<Admission> {
  const { site } = openSite;
  const { jwt, preview, segments, unsignedClaims } = credentials;
  const signed = jwt === undefined ? undefined : await readSignedClaims(env, site, jwt);
  const claims = getConformingClaims(openSite.jsonSchema ?? undefined, { signed: signed ?? {}, unsignedClaims });
  if (claims === undefined) return undefined;
  if (preview !== undefined) {
    const isOfSite = preview.site === site.id && preview.organization === site.organization;
    return isOfSite ? { claims, segments } : undefined;
  }
  if (!site.published) return undefined;
  if (site.visibility === 'share-link') return admitByShareKey(openSite, segments, claims);
  if (site.visibility !== 'visitor-auth' || signed !== undefined) return { claims, segments };
  return site.authFallback !== null && (jwt === undefined || credentials.redirectOnError) ? 'signIn' : undefined;
}

async function admitByShareKey(
  { links }: Pick<OpenSite, 'links'>,
  segments: string[],
  claims: Claims,
): Promise<Admission> {
  const [key, ...rest] = segments;
  if (key === undefined) return undefined;
  const hash = await hashShareKey(key);
  const link = links.find(({ keyHash }) => keyHash === hash);
  return link === undefined ? undefined : { claims, shareKey: key, shareLink: link.id, segments: rest };
}

const toleranceSeconds = 5;

/** Returns the claims of a valid HS256 token signed with the site's key; undefined for any other token. */
async function readSignedClaims(
  env: PublishingEnvironment,
  site: Pick<SiteRecord, 'authKey'>,
  jwt: string,
): Promise<Claims | undefined> {
  const key = new TextEncoder().encode(await deriveAuthKey(env, site.authKey));
  const options = { algorithms: ['HS256'], clockTolerance: toleranceSeconds };
  const verified = await jwtVerify(jwt, key, options).catch(() => undefined);
  if (verified === undefined) return undefined;
  const { payload } = verified;
  const isFuture = payload.iat !== undefined && payload.iat > Date.now() / 1000 + toleranceSeconds;
  return isFuture ? undefined : (payload as Claims);
}

/** A signed pass that lets a member preview a site for an hour. */
export interface PreviewPass {
  organization: OrganizationId;
  site: SiteId;
  user: UserId;
  /** The expiry time, in seconds since 1970. */
  expires: number;
}

const [issuer, audience, algorithm] = ['octavo', 'octavo:preview', 'HS256'];
const lifetimeSeconds = 3600;
const derivePreviewKey = (env: PublishingEnvironment) => deriveBytes(env, 'previews of sites');

/** The query parameter with a preview pass or visitor token. */
export const passParameter = 'jwt_token';

export const createPreviewPass = async (
  env: PublishingEnvironment,
  { organization, site, user }: Omit<PreviewPass, 'expires'>,
): Promise<string> =>
  new SignJWT({ org: organization, site, user })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(Math.floor(Date.now() / 1000) + lifetimeSeconds)
    .sign(await derivePreviewKey(env));

/** Returns the content of a valid pass; undefined for any other token. */
export async function readPreviewPass(
  env: PublishingEnvironment,
  jwt: string | null,
): Promise<PreviewPass | undefined> {
  if (jwt === null) return undefined;
  const verified = await jwtVerify(jwt, await derivePreviewKey(env), {
    algorithms: [algorithm],
    issuer,
    audience,
  }).catch(() => undefined);
  const payload = PreviewPassPayload.safeParse(verified?.payload).data;
  if (payload === undefined) return undefined;
  const { org: organization, site, user, exp: expires } = payload;
  return { organization, site, user, expires };
}

const dayMilliseconds = 24 * 3_600_000;
const graceSeconds = 5 * 60;

/**
 * Returns the expiry of tokens issued on the same UTC day, in seconds since 1970: five minutes after the end of the
 * day.
 */
export const getTokenExpiry = (milliseconds: number): number =>
  ((Math.floor(milliseconds / dayMilliseconds) + 1) * dayMilliseconds) / 1000 + graceSeconds;

/** Whether a text has the form of a share link's key. */
export const mayBeShareKey = (text: string): boolean => /^[\w-]{22}$/.test(text);

/** The database stores only this hash of a share link's key. */
export const hashShareKey = (key: string): Promise<string> => hashText(key);

/** Derives the key that signs a site's visitor tokens from the stored value and the server's secret. */
export const deriveAuthKey = (env: PublishingEnvironment, storedKey: string): Promise<string> =>
  deriveText(env, `visitor auth\n${storedKey}`);

/** Maximum number of conditions and texts that are read. If there are more, every claim counts as used. */
const maxTexts = 100;
/** If a text has more bytes than this, it is not read, and every claim counts as used. */
const maxTextBytes = 64 * 1024;

const textRow = selection({ text: fromQuery((text: string | null) => text) });

/** Selects the conditions of a table of the site. */
const selectConditions = (table: string, site: SQL<SiteId>): SQL =>
  sql`SELECT condition AS text FROM ${sql.raw(table)} WHERE site = ${site} AND condition IS NOT NULL`;

/**
 * Selects the conditions of a site's structure and of the pages in its spaces, and the texts of pages and reusable
 * content that may use claims. A text that is too large is null.
 */
const textsWithClaims = prepareStatement((site: SQL<SiteId>) =>
  textRow.query(sql`
    WITH lineage(branch, seq) AS MATERIALIZED (
      SELECT DISTINCT part.value->>0, part.value->>1 FROM site_spaces ss
        CROSS JOIN revisions head ON head.branch = ss.space
          AND head.seq = (SELECT MAX(seq) FROM revisions WHERE branch = ss.space)
        CROSS JOIN json_each(head.lineage) part WHERE ss.site = ${site})
    SELECT text FROM (
      ${selectConditions('site_sections', site)} UNION ${selectConditions('site_spaces', site)}
      UNION ${selectConditions('site_external_links', site)}
      UNION SELECT v.data->>'$.fields.condition' FROM lineage l CROSS JOIN versions v INDEXED BY versions_conditions
        ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
        WHERE v.kind = 'page' AND v.data->>'$.fields.condition' IS NOT NULL
      UNION SELECT CASE WHEN d.bytes <= ${sql.raw(String(maxTextBytes))} THEN d.markdown END
        FROM lineage l CROSS JOIN json_each('["page","reusable-content"]') kind
        CROSS JOIN versions v INDEXED BY versions_live
        ON v.branch = l.branch AND v.kind = kind.value AND v.until > l.seq AND v.since <= l.seq
        CROSS JOIN documents d INDEXED BY documents_asking ON d.hash = v.document
        WHERE instr(d.markdown, 'visitor') > 0
      LIMIT ${sql.raw(String(maxTexts + 1))}) x`),
);

interface CachedClaims {
  /** The version of the content that the site shows. */
  shown: string;
  claims: UsedClaims;
}

const maxSites = 1000;
const claimsBySite = new LruMap<CachedClaims>(maxSites);

const toVersion = ({ site }: Pick<OpenSite, 'site'>): string => `${site.shown}-${site.organizationShown}`;

/** Returns the used claims of a site if this isolate has read them at the same version. */
export function findKnownClaims(open: Pick<OpenSite, 'site'>): UsedClaims | undefined {
  const cached = claimsBySite.get(open.site.id);
  return cached?.shown === toVersion(open) ? cached.claims : undefined;
}

/** Reads which claims any content or condition of the site may depend on, and caches the result. One round trip. */
export async function readUsedClaims(db: Database, open: Pick<OpenSite, 'site'>): Promise<UsedClaims> {
  const { site } = open;
  const rows = await readRows(db, textsWithClaims(site.id));
  const texts = rows.flatMap(({ text }) => text ?? []);
  const isComplete = texts.length === rows.length && rows.length <= maxTexts;
  const claims = isComplete ? findUsedClaims(texts) : 'all';
  claimsBySite.set(site.id, { shown: toVersion(open), claims });
  return claims;
}

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

/** The cookie with the state of the database that the visitor has seen. */
const bookmarkCookie = 'octavo-bookmark';
/** Replicas are rarely further behind. The cookie must expire, because a replaced database has older bookmarks. */
const bookmarkSeconds = 3600;

/** Returns the bookmark of a visitor, or of a client that has just changed the site through the API. */
export function readSeenBookmark(request: Request): string | undefined {
  const bookmark = request.headers.get(bookmarkHeader) ?? readCookie(request, bookmarkCookie) ?? '';
  return isBookmark(bookmark) ? bookmark : undefined;
}

/** Sets the cookie that prevents the visitor from reading an earlier state of the site than this one. */
export function setSeenBookmark(response: Response, url: URL, open: OpenSite, bookmark: string | null): void {
  if (bookmark === null) return;
  const cookie = { name: bookmarkCookie, value: bookmark, age: bookmarkSeconds };
  response.headers.append('set-cookie', toSetCookieHeader(url, open, cookie));
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
