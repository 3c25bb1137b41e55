import type { Database } from '@octavo/db';
import {
  commit,
  commitChecked,
  hashToken,
  organizations,
  readRow,
  runBatch,
  selection,
  signInLinks,
  tokens,
  users,
} from '@octavo/db';
import type { Caller, OrganizationId, UserId } from '@octavo/schema';
import { ApiError, randomString } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { newToken } from '../tokens/queries.ts';

const sessionMilliseconds = 12 * 60 * 60_000;

interface SignInLink {
  hash: string;
  user: UserId;
  email: string;
  /** Of the organization that the mail was about. */
  title: string;
}

const over = () => new ApiError('not_found', 'This link was used, or its 7 days are over. Ask for a new invitation.');

const isOpen = (hash: string): SQL => sql`l.hash = ${hash} AND l.expires_at > ${Date.now()}`;

const u = aliasedTable(users, 'u');
const linkRow = selection({ user: u.id, email: u.email, title: aliasedTable(organizations, 'o').title });

/** The link of a secret that was mailed. @throws ApiError not_found */
export async function getSignInLink(db: Database, secret: string): Promise<SignInLink> {
  const hash = await hashToken(secret);
  const open = linkRow.query(sql`
    SELECT ${linkRow} FROM sign_in_links l
    CROSS JOIN users u ON u.id = l.user CROSS JOIN organizations o ON o.id = l.organization
    WHERE ${isOpen(hash)}`);
  const link = await readRow(db, open);
  if (link === undefined) throw over();
  return { hash, ...link };
}

/** Uses a link up: its address is verified from then on, and the token acts wherever its user does. */
export async function useSignInLink(db: Database, { hash, user }: SignInLink, caller: Caller): Promise<string> {
  const expiresAt = Date.now() + sessionMilliseconds;
  const { token, row } = await newToken({ user, label: 'Sign-in by e-mail', expiresAt });
  const isThere = { holds: sql`EXISTS (SELECT 1 FROM sign_in_links l WHERE ${isOpen(hash)})`, otherwise: over };
  const verify = db
    .update(users)
    .set({ emailVerifiedAt: Date.now() })
    .where(sql`${users.id} = ${user} AND ${users.emailVerifiedAt} IS NULL`);
  const remove = db.delete(signInLinks).where(eq(signInLinks.hash, hash));
  await commitChecked(db, [isThere], (guards) =>
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

/** Makes a link's secret (238 bits), of which only the hash is kept; those of the same user that are over, go. */
export async function newSignInLink(
  db: Database,
  owner: { user: UserId; organization: OrganizationId },
): Promise<string> {
  const secret = randomString(secretLength);
  const now = Date.now();
  const over = sql`${signInLinks.user} = ${owner.user} AND ${signInLinks.expiresAt} <= ${now}`;
  const link = { ...owner, hash: await hashToken(secret), createdAt: now, expiresAt: now + lastsMilliseconds };
  await runBatch(db, [db.delete(signInLinks).where(over), db.insert(signInLinks).values(link)]);
  return secret;
}
