import type { Database, Parameter } from '@octavo/db';
import {
  commit,
  commitChecked,
  hashToken,
  organizations,
  prepareQuery,
  readRow,
  runBatch,
  selection,
  signInLinks,
  tokens,
  users,
} from '@octavo/db';
import type { Caller, OrganizationId, UserId } from '@octavo/schema';
import { ApiError, createRandomString } from '@octavo/schema';
import { aliasedTable, and, eq, gt, sql } from 'drizzle-orm';
import { createToken } from '../tokens/queries.ts';

const sessionMilliseconds = 12 * 60 * 60_000;

interface SignInLink {
  hash: string;
  user: UserId;
  email: string;
  /** Title of the inviting organization. */
  title: string;
}

const createInvalidLinkError = () =>
  new ApiError(
    'not_found',
    'This sign-in link was already used, is older than 7 days, or is incomplete. Ask for a new invitation.',
  );

const [l, u, o] = [aliasedTable(signInLinks, 'l'), aliasedTable(users, 'u'), aliasedTable(organizations, 'o')];
const openLink = prepareQuery(
  selection({ user: u.id, email: u.email, title: o.title }),
  (select, hash: Parameter<string>, now: Parameter<number>) =>
    select
      .from(l)
      .crossJoin(u)
      .crossJoin(o)
      .where(and(eq(l.hash, hash), gt(l.expiresAt, now), eq(u.id, l.user), eq(o.id, l.organization))),
);

/** Reads the link of a mailed secret. @throws ApiError not_found */
export async function getSignInLink(db: Database, secret: string): Promise<SignInLink> {
  const hash = await hashToken(secret);
  const link = await readRow(db, openLink(hash, Date.now()));
  if (link === undefined) throw createInvalidLinkError();
  return { hash, ...link };
}

/**
 * Uses up a link: verifies the address of its user and returns a session token that is not bound to an organization.
 */
export async function useSignInLink(db: Database, { hash, user }: SignInLink, caller: Caller): Promise<string> {
  const expiresAt = Date.now() + sessionMilliseconds;
  const { token, row } = await createToken({ user, label: 'Sign-in by email', expiresAt });
  const linkCheck = {
    condition: sql`EXISTS (SELECT 1 FROM sign_in_links WHERE hash = ${hash} AND expires_at > ${Date.now()})`,
    createError: createInvalidLinkError,
  };
  const verify = db
    .update(users)
    .set({ emailVerifiedAt: Date.now() })
    .where(sql`${users.id} = ${user} AND ${users.emailVerifiedAt} IS NULL`);
  const remove = db.delete(signInLinks).where(eq(signInLinks.hash, hash));
  await commitChecked(db, [linkCheck], (guards) =>
    commit(
      db,
      caller,
      [...guards, remove, verify, db.insert(tokens).values(row)],
      [{ type: 'token.created', data: { token: row.id } }],
    ),
  );
  return token;
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
