import type { Database } from '@octavo/db';
import {
  commit,
  commitChecked,
  fromQuery,
  hashToken,
  loginLinks,
  nullable,
  organizations,
  readRow,
  runBatch,
  selection,
  signInLinks,
  users,
} from '@octavo/db';
import type { PageContext } from '@octavo/runtime';
import type { OrganizationId, UserId } from '@octavo/schema';
import { ApiError, createRandomString } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { createSession } from '../sessions/start-session.ts';

type Context = PageContext<OrgAdminEnvironment>;

interface SignInLink {
  hash: string;
  user: UserId;
  email: string;
  /** The inviting organization; null for a link that was requested on the sign-in page. */
  organization: { id: OrganizationId; title: string } | null;
  /** The path in the app that the link opens. */
  destination: string;
}

const createInvalidLinkError = () =>
  new ApiError('not_found', 'This sign-in link was already used, has expired, or is incomplete.');

const linkRow = selection({
  user: fromQuery(users.id),
  email: fromQuery(users.email),
  organization: nullable({ id: fromQuery(organizations.id), title: fromQuery(organizations.title) }),
  destination: fromQuery(String),
});

/** Reads the link of a mailed secret. @throws ApiError not_found */
export async function getSignInLink(db: Database, secret: string): Promise<SignInLink> {
  const hash = await hashToken(secret);
  const now = Date.now();
  const link = await readRow(
    db,
    linkRow.query(sql`
      SELECT u.id AS user, u.email, o.id AS organization_id, o.title AS organization_title, '/app/orgs/' || o.id AS destination
      FROM sign_in_links l CROSS JOIN users u ON u.id = l.user CROSS JOIN organizations o ON o.id = l.organization
      WHERE l.hash = ${hash} AND l.expires_at > ${now}
      UNION ALL
      SELECT u.id, u.email, NULL, NULL, l.destination FROM login_links l CROSS JOIN users u ON u.id = l.user
      WHERE l.hash = ${hash} AND l.expires_at > ${now}`),
  );
  if (link === undefined) throw createInvalidLinkError();
  return { hash, ...link };
}

/** Uses up a link: verifies the address of its user, and starts a session that is not bound to an organization. */
export async function useSignInLink(request: Request, context: Context, { hash, user }: SignInLink) {
  const { db, toCaller: getCaller } = context;
  const { writes, ...session } = await createSession(request, context, { user });
  const linkCheck = {
    condition: sql`EXISTS (SELECT 1 FROM sign_in_links WHERE hash = ${hash} AND expires_at > ${Date.now()})
      OR EXISTS (SELECT 1 FROM login_links WHERE hash = ${hash} AND expires_at > ${Date.now()})`,
    createError: createInvalidLinkError,
  };
  const verify = db
    .update(users)
    .set({ emailVerifiedAt: Date.now() })
    .where(sql`${users.id} = ${user} AND ${users.emailVerifiedAt} IS NULL`);
  const remove = [
    db.delete(signInLinks).where(eq(signInLinks.hash, hash)),
    db.delete(loginLinks).where(eq(loginLinks.user, user)),
  ];
  await commitChecked(db, [linkCheck], (guards) =>
    commit(
      db,
      getCaller(user),
      [...guards, ...remove, verify, ...writes],
      [{ type: 'token.created', data: { token: session.id } }],
    ),
  );
  return session;
}

const secretLength = 40;
const lastsMilliseconds = 7 * 24 * 60 * 60_000;

/**
 * Creates a sign-in link and returns its secret (238 bits), of which only the hash is stored. Deletes expired links of
 * the user.
 */
export async function createSignInLink(
  db: Database,
  owner: { user: UserId; organization: OrganizationId },
): Promise<string> {
  const secret = createRandomString(secretLength);
  const now = Date.now();
  const expiredLinks = sql`${signInLinks.user} = ${owner.user} AND ${signInLinks.expiresAt} <= ${now}`;
  const link = { ...owner, hash: await hashToken(secret), createdAt: now, expiresAt: now + lastsMilliseconds };
  await runBatch(db, [db.delete(signInLinks).where(expiredLinks), db.insert(signInLinks).values(link)]);
  return secret;
}
