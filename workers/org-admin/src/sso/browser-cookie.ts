import { hashToken } from '@octavo/db';

const name = 'octavo_sso';
export const signInSeconds = 600;

const attributes = (isSecure: boolean) => `HttpOnly; SameSite=Lax; Path=/sso/${isSecure ? '; Secure' : ''}`;

/** Binds a sign-in to the browser that began it. */
export const setCookie = (value: string, publicUrl: string): string =>
  `${name}=${value}; ${attributes(publicUrl.startsWith('https:'))}; Max-Age=${signInSeconds}`;

export const clearCookie = (publicUrl: string): string =>
  `${name}=; ${attributes(publicUrl.startsWith('https:'))}; Max-Age=0`;

/** The hash of the browser's cookie, or undefined where it brings none. */
export async function browserOf(request: Request): Promise<string | undefined> {
  const value = /(?:^|;\s*)octavo_sso=([\w-]{1,128})(?:;|$)/.exec(request.headers.get('cookie') ?? '')?.[1];
  return value === undefined ? undefined : hashToken(value);
}
