import { describeError, forward, isSameOrigin, log, readSessionCookie, removeSessionCookie } from '@octavo/runtime';
import type { GatewayEnvironment } from './environment.ts';

/** The header that the app sends with each request. Pages of other origins cannot send it without permission. */
const appHeader = 'octavo-app';

/** A request as it is forwarded. If a browser's session is used, `Authorization` replaces the session cookie. */
export interface SessionRequest {
  request: Request;
  /** The time at which the browser received the secret; undefined if the request does not use the session. */
  issuedAt?: number;
}

/**
 * Removes the session cookie from a request, so that no site and no script receives it. If the app has sent the
 * request, the secret in the cookie becomes the `Authorization` header. If the request already has this header, the
 * header is not changed.
 */
export function convertSession(
  request: Request,
  env: GatewayEnvironment,
  { isOfSite = false, readsSession = false }: { isOfSite?: boolean; readsSession?: boolean },
): SessionRequest {
  if (readsSession || !request.headers.get('cookie')?.includes('octavo_session')) return { request };
  const headers = new Headers(request.headers);
  removeSessionCookie(headers);
  const cookie = isOfSite || !isSentByApp(request, env) ? undefined : readSessionCookie(request, env);
  if (cookie !== undefined) headers.set('authorization', `Bearer ${cookie.token}`);
  return { request: new Request(request, { headers }), ...(cookie && { issuedAt: cookie.issuedAt }) };
}

function isSentByApp(request: Request, env: GatewayEnvironment): boolean {
  const { headers, method } = request;
  if (headers.has('authorization') || headers.get(appHeader) !== '1') return false;
  return method === 'GET' || isSameOrigin(request, env);
}

/** The secret of a session is replaced when it is used after this time. */
const rotationMilliseconds = 4 * 60 * 60_000;

/**
 * Replaces the secret of a session if it is old: adds the cookie with the new secret to the response. Does nothing
 * after an error response: anyone can send an invalid cookie, and a rejected request must not cause another call. If
 * the renewal fails, the response is not changed, because the old secret is still valid.
 */
export async function renewSession(
  { request, issuedAt }: SessionRequest,
  response: Response,
  { env, ...context }: { env: GatewayEnvironment; requestId: string; address: string | undefined },
): Promise<void> {
  if (issuedAt === undefined || Date.now() - issuedAt < rotationMilliseconds || response.status >= 400) return;
  const url = new URL('/session/renew', env.OCTAVO_PUBLIC_URL);
  const authorization = request.headers.get('authorization') ?? '';
  const renewal = new Request(url, { method: 'POST', headers: { authorization } });
  try {
    const { headers } = await forward(renewal, env.ORG_ADMIN, { ...context, url });
    const cookie = headers.get('set-cookie');
    if (cookie !== null) response.headers.append('set-cookie', cookie);
  } catch (error) {
    log('error', 'session not renewed', { requestId: context.requestId, cause: describeError(error) });
  }
}
