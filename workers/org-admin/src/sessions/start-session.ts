import type { Database, Statement } from '@octavo/db';
import { hashToken, tokens } from '@octavo/db';
import type { PageContext } from '@octavo/runtime';
import {
  createSessionCookie,
  getPreferredType,
  isSameOrigin,
  readSessionCookie,
  sessionIdleMilliseconds,
} from '@octavo/runtime';
import type { OrganizationId, Scope, UserId } from '@octavo/schema';
import { forbidden, formatTimestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { createToken } from '../tokens/queries.ts';
import { describeBrowser } from './describe-browser.ts';

const day = 24 * 60 * 60_000;
/** A session ends this long after the sign-in, even if it is used. */
const maxSessionMilliseconds = 90 * day;
const maxSessionsPerUser = 20;

interface NewSession {
  user: UserId;
  /** The organization to which the session is bound, if any. */
  organization?: OrganizationId | null;
  scopes?: Scope[] | null;
  /** The API token that starts the session. */
  parent?: string;
  endsAt?: number | undefined;
}

interface StartedSession {
  token: string;
  /** The id of the session. */
  id: string;
  endsAt: number;
  /** The statements that store the session, and end the former session of this browser. */
  writes: Statement[];
}

/**
 * Creates a session with a new secret. The former session of the browser ends: if another person has set its cookie in
 * this browser, the cookie no longer gives access.
 */
export async function createSession(
  request: Request,
  { db, env }: Pick<PageContext<OrgAdminEnvironment>, 'db' | 'env'>,
  { user, organization = null, scopes, parent, endsAt: latest = Number.MAX_SAFE_INTEGER }: NewSession,
): Promise<StartedSession> {
  const endsAt = Math.min(Date.now() + maxSessionMilliseconds, latest);
  const label = describeBrowser(request.headers.get('user-agent'));
  const expiresAt = Math.min(Date.now() + sessionIdleMilliseconds, endsAt);
  const { token, row } = await createToken({ user, label, organization, expiresAt, scopes: scopes ?? undefined });
  const former = readSessionCookie(request, env);
  return {
    token,
    id: row.id,
    endsAt,
    writes: [
      ...(former === undefined ? [] : [endSession(db, await hashToken(former.token))]),
      ...deleteOldSessions(db, row),
      db.insert(tokens).values({ ...row, session: row.id, endsAt, parent: parent ?? null }),
    ],
  };
}

/** Deletes all tokens of the session to which a secret belongs. */
export const endSession = (db: Database, hash: string): Statement =>
  db.delete(tokens).where(sql`session = (SELECT session FROM tokens WHERE hash = ${hash})`);

/**
 * Deletes expired tokens and the oldest sessions above the limit of a user, or of a member of an organization. Sessions
 * with scopes are counted separately, because a token with scopes must not end sessions without scopes. A session can
 * have several tokens, which have the same creation time.
 */
const deleteOldSessions = (
  db: Database,
  { user, organization, scopes }: Pick<typeof tokens.$inferInsert, 'user' | 'organization' | 'scopes'>,
): Statement[] => [
  db.delete(tokens).where(sql`user = ${user} AND expires_at <= ${Date.now()}`),
  db.delete(tokens).where(sql`session IN (
    SELECT t.session FROM tokens t WHERE t.user = ${user} AND t.organization IS ${organization} AND t.session IS NOT NULL
      AND (t.scopes IS NULL) = ${scopes === null ? 1 : 0}
    GROUP BY t.created_at, t.session ORDER BY t.created_at DESC, t.session DESC LIMIT -1 OFFSET ${sql.raw(String(maxSessionsPerUser - 1))})`),
];

/** Rejects a form that a page of another site has sent. @throws ApiError forbidden */
export function requireSameOrigin(request: Request, env: OrgAdminEnvironment): void {
  if (request.headers.has('origin') && !isSameOrigin(request, env))
    throw forbidden('The form was sent from another site. Open the page again.');
}

interface SignedIn extends Pick<StartedSession, 'token' | 'endsAt'> {
  organization?: OrganizationId;
  /** The path in the app that is opened. */
  destination: string;
}

/**
 * Returns the response to a sign-in: the cookie of the session and a redirect to the app, or the secret of the session
 * as JSON for a program.
 */
export function respondWithSession(
  request: Request,
  { env, urls }: Pick<PageContext<OrgAdminEnvironment>, 'env' | 'urls'>,
  { token, endsAt, organization, destination }: SignedIn,
): Response {
  const headers = { 'cache-control': 'no-store' };
  if (getPreferredType(request) === 'application/json') {
    const bound = organization === undefined ? {} : { organization };
    return Response.json({ token, ...bound, expiresAt: formatTimestamp(endsAt) }, { headers });
  }
  return new Response(null, {
    status: 303,
    headers: { ...headers, location: urls.page(destination), 'set-cookie': createSessionCookie(env, token, endsAt) },
  });
}
