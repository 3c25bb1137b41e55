import type { SiteRecord } from '@octavo/db';
import type { ShareLinkId, Visitor, VisitorToken } from '@octavo/schema';
import { VisitorTokenPayload } from '@octavo/schema';
import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import { LruMap } from './lru-map.ts';

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Returns bytes in lower-case hex. */
export function toHex(bytes: ArrayBuffer): string {
  let hex = '';
  for (const byte of new Uint8Array(bytes)) hex += digits[byte];
  return hex;
}

/** Returns the SHA-256 of a text in lower-case hex. */
export const hashText = async (text: string): Promise<string> =>
  toHex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));

/**
 * A cache for the hashes of recurring texts, such as tokens, limited in the number of texts and their length. It stores
 * only hashes; whether a token is valid is always looked up in the database.
 */
export class HashCache {
  readonly #hashes: LruMap<string>;
  readonly #maxLength: number;

  constructor(maxTexts: number, maxLength: number) {
    this.#hashes = new LruMap(maxTexts);
    this.#maxLength = maxLength;
  }

  get size(): number {
    return this.#hashes.size;
  }

  async getHash(text: string): Promise<string> {
    const cached = this.#hashes.get(text);
    if (cached !== undefined) return cached;
    const hash = await hashText(text);
    if (text.length <= this.#maxLength) this.#hashes.set(text, hash);
    return hash;
  }
}

const maxTokens = 1000;
const maxTokenLength = 256;
const tokens = new HashCache(maxTokens, maxTokenLength);

const bearer = /^Bearer ([\w-]{1,256})$/i;

/** Returns the hash of the bearer token in an `Authorization` header, or undefined if there is none. */
export async function hashBearerToken(authorization: string | null): Promise<string | undefined> {
  const token = bearer.exec(authorization ?? '')?.[1];
  return token === undefined ? undefined : tokens.getHash(token);
}

export interface Secrets {
  /** The secret from which keys are derived for signing and encryption. */
  OCTAVO_SECRET?: string;
  /** The previous secret, until all values that it encrypted are encrypted again. */
  OCTAVO_SECRET_PREVIOUS?: string;
}

/**
 * Derives bytes from the server's secret for a purpose (HMAC-SHA256, 32 bytes). They reveal nothing about the secret or
 * about the bytes of other purposes.
 */
export async function deriveBytes(
  { OCTAVO_SECRET: secret }: Pick<Secrets, 'OCTAVO_SECRET'>,
  purpose: string,
): Promise<Uint8Array> {
  if (typeof secret !== 'string' || secret.length < 16)
    throw new Error('OCTAVO_SECRET must be set to at least 16 characters.');
  return deriveBytesFrom(secret, purpose);
}

async function deriveBytesFrom(secret: string, purpose: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const encode = (text: string) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey('raw', encode(secret), algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, encode(`octavo\n${purpose}`)));
}

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Derives a URL-safe text from the server's secret; see `deriveBytes`. */
export const deriveText = async (env: Secrets, purpose: string): Promise<string> =>
  toBase64Url(await deriveBytes(env, purpose));

/** Derives a URL-safe text from another secret, which does not change with the server's secret. */
export const deriveTextFrom = async (secret: string, purpose: string): Promise<string> =>
  toBase64Url(await deriveBytesFrom(secret, purpose));

const shareKeyLength = 22;

/** Derives the key of a share link from its id and the server's secret. The key is not stored. */
export const deriveShareKey = async (env: Secrets, link: ShareLinkId): Promise<string> =>
  (await deriveText(env, `share key\n${link}`)).slice(0, shareKeyLength);

/** Returns the share link key for the URLs of a visitor, or undefined if the visitor used no share link. */
export const findShareKey = async (
  env: Secrets,
  { shareLink }: { shareLink?: ShareLinkId | undefined },
): Promise<string | undefined> => (shareLink === undefined ? undefined : deriveShareKey(env, shareLink));

const issuer = 'octavo';
const audience = 'octavo:visitor';
const algorithm = 'HS256';
const deriveVisitorKey = (env: Secrets) => deriveBytes(env, 'tokens of visitors');

const maxSignedTokens = 500;
const maxSignedLength = 2000;
const signedTokens = new LruMap<string>(maxSignedTokens);

/** Signs a visitor token. Equal values give equal tokens, so that clients can cache responses by token. */
export async function signVisitorToken(env: Secrets, token: VisitorToken): Promise<string> {
  const key = JSON.stringify([env.OCTAVO_SECRET, token]);
  const signed = signedTokens.get(key) ?? (await createVisitorToken(env, token));
  if (key.length <= maxSignedLength) signedTokens.set(key, signed);
  return signed;
}

async function createVisitorToken(env: Secrets, token: VisitorToken): Promise<string> {
  const { organization, site, stamp, shareLink, claims, preview, expires } = token;
  const payload = { org: organization, site, stamp, ...(shareLink ? { link: shareLink } : {}), claims, preview };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(expires)
    .sign(await deriveVisitorKey(env));
}

const visitorBearer = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i;
const maxLength = 16 * 1024;

/** Whether the header has the form of a visitor token, valid or not. */
export const isVisitorToken = (authorization: string | null): boolean => visitorBearer.test(authorization ?? '');

/** Returns the site that a visitor token names. Nothing is verified, so the result may be any text. */
export function getClaimedSite(authorization: string | null): string | undefined {
  const token = visitorBearer.exec(authorization ?? '')?.[1];
  if (token === undefined || token.length > maxLength) return undefined;
  try {
    const { site } = decodeJwt(token);
    return typeof site === 'string' ? site : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads the visitor token in an `Authorization` header; undefined if the signature is invalid or the token has expired.
 */
export async function readVisitorToken(env: Secrets, authorization: string | null): Promise<VisitorToken | undefined> {
  const text = visitorBearer.exec(authorization ?? '')?.[1];
  if (text === undefined || text.length > maxLength) return undefined;
  const verified = await jwtVerify(text, await deriveVisitorKey(env), {
    algorithms: [algorithm],
    issuer,
    audience,
  }).catch(() => undefined);
  const payload = VisitorTokenPayload.safeParse(verified?.payload).data;
  if (payload === undefined) return undefined;
  const { org: organization, site, stamp, link, claims, preview, exp: expires } = payload;
  return {
    ...{ organization, site, stamp, claims, expires },
    ...(link === undefined ? {} : { shareLink: link }),
    ...(preview === undefined ? {} : { preview }),
  };
}

const version = 's1';
const keyIdLength = 8;
const ivLength = 12;
const encoder = new TextEncoder();

/**
 * Encrypts a JSON value for its owner, for example an installation's id. Only `unseal` with the same owner can decrypt
 * it. The text starts with the id of the secret that encrypted it.
 */
export async function seal(env: Secrets, owner: string, value: unknown): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(ivLength));
  const plain = encoder.encode(JSON.stringify(value));
  const cipher = await crypto.subtle.encrypt(getAlgorithm(owner, iv), await deriveOwnerKey(env, owner), plain);
  return `${await getSealPrefix(env)}${toText(new Uint8Array([...iv, ...new Uint8Array(cipher)]))}`;
}

/**
 * Decrypts a value of this owner with the current or the previous secret.
 * @throws Error if neither can decrypt it
 */
export async function unseal(env: Secrets, owner: string, text: string): Promise<unknown> {
  const secrets = await findSecret(env, text);
  const bytes = toBytes(text.slice(text.lastIndexOf('.') + 1));
  const [iv, cipher] = [bytes.subarray(0, ivLength), bytes.subarray(ivLength)];
  const key = await deriveOwnerKey(secrets, owner);
  const plain = await crypto.subtle.decrypt(getAlgorithm(owner, iv), key, cipher).catch((cause: unknown) => {
    throw new Error(`The sealed value of ${owner} was modified or belongs to another owner.`, { cause });
  });
  return JSON.parse(new TextDecoder().decode(plain)) as unknown;
}

/**
 * Returns the prefix of all texts that the current secret encrypted. Texts with another prefix need to be encrypted
 * again.
 */
export const getSealPrefix = async (env: Secrets): Promise<string> => `${version}.${await deriveKeyId(env)}.`;

/** Returns the secret that encrypted a text, by the text's prefix. */
async function findSecret(env: Secrets, text: string): Promise<Secrets> {
  const { OCTAVO_SECRET_PREVIOUS: previous } = env;
  const candidates: Secrets[] = previous === undefined ? [env] : [env, { OCTAVO_SECRET: previous }];
  for (const secrets of candidates) if (text.startsWith(await getSealPrefix(secrets))) return secrets;
  throw new Error(
    'The value was encrypted with another secret. Set OCTAVO_SECRET_PREVIOUS to the previous OCTAVO_SECRET.',
  );
}

const deriveKeyId = async (env: Secrets): Promise<string> =>
  (await deriveText(env, 'the name of this secret')).slice(0, keyIdLength);

const deriveOwnerKey = async (env: Secrets, owner: string) =>
  crypto.subtle.importKey('raw', new Uint8Array(await deriveBytes(env, `sealed for\n${owner}`)), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ]);

const getAlgorithm = (owner: string, iv: Uint8Array<ArrayBuffer>) => ({
  name: 'AES-GCM',
  iv,
  additionalData: encoder.encode(owner),
});

/** Converts byte by byte, because the value can be longer than the maximum number of arguments of a call. */
function toText(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

/** Returns the visitor of a valid token for the site. */
export async function toVisitor(
  token: VisitorToken,
  { visibility, editLinks: hasEditLinks }: Pick<SiteRecord, 'visibility' | 'editLinks'>,
): Promise<Visitor> {
  const { organization, site, stamp, shareLink, claims, preview, expires } = token;
  return {
    organization,
    site,
    stamp,
    shareLink,
    claims,
    isPreview: preview !== undefined,
    ...preview,
    key: await hashText(JSON.stringify([site, token.stamp, claims, preview ?? null])),
    expires,
    isPublic: preview === undefined && (visibility === 'public' || visibility === 'unlisted'),
    hasEditLinks,
  };
}
