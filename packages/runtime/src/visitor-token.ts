import { type ShareLinkId, type VisitorToken, VisitorTokenPayload } from '@octavo/schema';
import { jwtVerify, SignJWT } from 'jose';

export interface Secrets {
  /** What is signed and derived here is made with it. */
  OCTAVO_SECRET?: string;
  /** The secret before this one, while what was sealed by it is sealed anew. */
  OCTAVO_SECRET_PREVIOUS?: string;
}

/**
 * Bytes that follow from the server's secret and a purpose, and tell nothing of it: what is derived for one purpose says
 * nothing of that for another. HMAC-SHA256, 32 bytes.
 */
export async function deriveBytes(
  { OCTAVO_SECRET: secret }: Pick<Secrets, 'OCTAVO_SECRET'>,
  purpose: string,
): Promise<Uint8Array> {
  if (typeof secret !== 'string' || secret.length < 16)
    throw new Error('OCTAVO_SECRET is not set, or shorter than 16 characters: nothing can be derived from it.');
  return bytesFrom(secret, purpose);
}

async function bytesFrom(secret: string, purpose: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const encode = (text: string) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey('raw', encode(secret), algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, encode(`octavo\n${purpose}`)));
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** A text that follows from the server's secret and a purpose, of letters that addresses take: see `deriveBytes`. */
export const deriveText = async (env: Secrets, purpose: string): Promise<string> =>
  base64url(await deriveBytes(env, purpose));

/** The same of a secret of its own, which stays as it is where the server gets another one. */
export const deriveTextFrom = async (secret: string, purpose: string): Promise<string> =>
  base64url(await bytesFrom(secret, purpose));

const shareKeyLength = 22;

/** The key of a share link: it follows from the link's id and the server's secret, and stands nowhere. */
export const shareKeyOf = async (env: Secrets, link: ShareLinkId): Promise<string> =>
  (await deriveText(env, `share key\n${link}`)).slice(0, shareKeyLength);

/** The key that stands in the addresses that a visitor is given; undefined where none let the visitor in. */
export const shareKeyFor = async (
  env: Secrets,
  { shareLink }: { shareLink?: ShareLinkId | undefined },
): Promise<string | undefined> => (shareLink === undefined ? undefined : shareKeyOf(env, shareLink));

const issuer = 'octavo';
const audience = 'octavo:visitor';
const algorithm = 'HS256';
const keyOf = (env: Secrets) => deriveBytes(env, 'tokens of visitors');

/** A token for a visitor: the same for the same values, so that clients may keep answers by it. */
export async function signVisitorToken(env: Secrets, token: VisitorToken): Promise<string> {
  const { organization, site, stamp, shareLink, claims, preview, expires } = token;
  const payload = { org: organization, site, stamp, ...(shareLink ? { link: shareLink } : {}), claims, preview };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(expires)
    .sign(await keyOf(env));
}

const bearer = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i;
const maxLength = 16 * 1024;

/** Whether a request brings a token of this kind, right or wrong. */
export const bringsVisitorToken = (authorization: string | null): boolean => bearer.test(authorization ?? '');

/** Who visits, by the Authorization header; undefined where we did not sign it, or it has expired. */
export async function readVisitorToken(env: Secrets, authorization: string | null): Promise<VisitorToken | undefined> {
  const text = bearer.exec(authorization ?? '')?.[1];
  if (text === undefined || text.length > maxLength) return undefined;
  const verified = await jwtVerify(text, await keyOf(env), { algorithms: [algorithm], issuer, audience }).catch(
    () => undefined,
  );
  const payload = VisitorTokenPayload.safeParse(verified?.payload).data;
  if (payload === undefined) return undefined;
  const { org: organization, site, stamp, link, claims, preview, exp: expires } = payload;
  return {
    ...{ organization, site, stamp, claims, expires },
    ...(link === undefined ? {} : { shareLink: link }),
    ...(preview === undefined ? {} : { preview }),
  };
}
