import { randomUUID } from 'node:crypto';
import { json } from '../support/content.ts';
import { findSignInLink, waitForMail } from '../support/mail.ts';
import type { RequestOptions, Server } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { readSessionCookie } from '../support/session-cookies.ts';

export interface TestSession {
  cookie: string;
  token: string;
  user: string;
  email: string;
}

/** Invites a new user, who signs in with the link of the mail. */
export async function startSession(server: Server = platform()): Promise<TestSession> {
  const organization = await server.makeOrganization();
  const email = `ada-${randomUUID()}@example.test`;
  const { users } = await json<{ users: string[] }>(
    `/v1/orgs/${organization.id}/invites`,
    { token: organization.token, body: { emails: [email], role: 'read' } },
    server,
  );
  const link = findSignInLink(await waitForMail(email, { server }));
  const { cookie, token = '' } = readSessionCookie(await server.request(link, { method: 'POST' }));
  return { cookie, token, user: users[0] ?? '', email };
}

interface CookieOptions extends Omit<RequestOptions, 'headers'> {
  /** Headers that are added or, if they are undefined, removed. */
  headers?: Record<string, string | undefined>;
}

/** Sends a request like the app in a browser with a session cookie. */
export function callWithCookie(
  path: string,
  cookie: string,
  { headers = {}, ...options }: CookieOptions = {},
  server: Server = platform(),
): Promise<Response> {
  const all = { cookie, 'octavo-app': '1', origin: server.url, ...headers };
  const given = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined);
  return server.request(path, { ...options, headers: Object.fromEntries(given) });
}

/** Returns the cookie as if the browser had received it this many hours ago. */
export const backdateCookie = (cookie: string, hours: number): string =>
  cookie.replace(/\d{10}$/, (seconds) => String(Number(seconds) - hours * 3600));
