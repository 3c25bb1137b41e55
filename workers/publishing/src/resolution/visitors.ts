import type { SiteRecord } from '@octavo/db';
import { getConformingClaims } from '@octavo/expression';
import { deriveBytes, deriveText, hashText } from '@octavo/runtime';
import type { Claims, OrganizationId, ShareLinkId, SiteId, UserId } from '@octavo/schema';
import { PreviewPassPayload } from '@octavo/schema';
import { jwtVerify, SignJWT } from 'jose';
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
  openSite: OpenSite,
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

async function admitByShareKey({ links }: OpenSite, segments: string[], claims: Claims): Promise<Admission> {
  const [key, ...rest] = segments;
  if (key === undefined) return undefined;
  const hash = await hashShareKey(key);
  const link = links.find(({ keyHash }) => keyHash === hash);
  return link === undefined ? undefined : { claims, shareKey: key, shareLink: link.id, segments: rest };
}

const toleranceSeconds = 5;

/** Returns the claims of a valid HS256 token signed with the site's key; undefined for any other token. */
export async function readSignedClaims(
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
  /** Seconds since 1970. */
  expires: number;
}

const [issuer, audience, algorithm] = ['octavo', 'octavo:preview', 'HS256'];
const lifetimeSeconds = 3600;
const previewKey = (env: PublishingEnvironment) => deriveBytes(env, 'previews of sites');

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
    .sign(await previewKey(env));

/** Returns the content of a valid pass; undefined for any other token. */
export async function readPreviewPass(
  env: PublishingEnvironment,
  jwt: string | null,
): Promise<PreviewPass | undefined> {
  if (jwt === null) return undefined;
  const verified = await jwtVerify(jwt, await previewKey(env), { algorithms: [algorithm], issuer, audience }).catch(
    () => undefined,
  );
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
