import type { Settings } from './environment.ts';

type PublicUrl = Pick<Settings, 'OCTAVO_PUBLIC_URL'>;

const cookieName = 'octavo_session';
const isSecure = ({ OCTAVO_PUBLIC_URL: url }: PublicUrl): boolean => url.startsWith('https:');

/** With the prefix, browsers reject a cookie of this name from another host or without encryption. */
const getName = (env: PublicUrl): string => (isSecure(env) ? `__Host-${cookieName}` : cookieName);

const getAttributes = (env: PublicUrl): string => `HttpOnly; SameSite=Lax; Path=/${isSecure(env) ? '; Secure' : ''}`;

/** Whether a page of this server has sent the request. Browsers add the header to all requests except GET and HEAD. */
export const isSameOrigin = ({ headers }: Request, { OCTAVO_PUBLIC_URL: url }: PublicUrl): boolean =>
  headers.get('origin') === new URL(url).origin;

interface SessionCookie {
  token: string;
  /** The time at which the browser received the token, in milliseconds. */
  issuedAt: number;
}

const valuePattern = /^(octavo_\w{40})\.(\d{10})$/;
const isSessionCookie = (pair: string): boolean => /^\s*(?:__Host-)?octavo_session\s*=/.test(pair);

/**
 * Reads the session cookie of a browser. Nothing is verified. Returns undefined if the cookie is sent twice: then
 * another host of the same domain may have set one of them.
 */
export function readSessionCookie({ headers }: Request, env: PublicUrl): SessionCookie | undefined {
  const cookies = headers.get('cookie');
  if (cookies === null || !cookies.includes(cookieName)) return undefined;
  const [value, ...others] = cookies.split(';').flatMap((pair) => {
    const [name, ...parts] = pair.trim().split('=');
    return name === getName(env) ? [parts.join('=')] : [];
  });
  const [, token, seconds] = valuePattern.exec(value ?? '') ?? [];
  return token === undefined || others.length > 0 ? undefined : { token, issuedAt: Number(seconds) * 1000 };
}

/** Returns a `Set-Cookie` header that starts a session in a browser, or replaces its secret. */
export function createSessionCookie(env: PublicUrl, token: string, endsAt: number): string {
  const now = Math.floor(Date.now() / 1000);
  const maxAge = Math.max(0, Math.floor(endsAt / 1000) - now);
  return `${getName(env)}=${token}.${now}; ${getAttributes(env)}; Max-Age=${maxAge}`;
}

/** Returns a `Set-Cookie` header that removes the session cookie. */
export const clearSessionCookie = (env: PublicUrl): string => `${getName(env)}=; ${getAttributes(env)}; Max-Age=0`;

/** Removes the session cookie from the headers of a request. */
export function removeSessionCookie(headers: Headers): void {
  const kept = (headers.get('cookie') ?? '').split(';').filter((pair) => pair.trim() !== '' && !isSessionCookie(pair));
  if (kept.length === 0) headers.delete('cookie');
  else headers.set('cookie', kept.join(';').trim());
}
