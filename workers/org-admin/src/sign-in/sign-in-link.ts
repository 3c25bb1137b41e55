import type { Database, Row } from '@octavo/db';
import { commit, commitChecked, hashToken, signInLinks, text, tokens, users } from '@octavo/db';
import type { Caller } from '@octavo/schema';
import { ApiError } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import { newToken } from '../users/new-token.ts';

const sessionMilliseconds = 12 * 60 * 60_000;

interface SignInLink {
  hash: string;
  user: string;
  email: string;
  /** Of the organization that the mail was about. */
  title: string;
}

const over = () => new ApiError('not_found', 'This link was used, or its 7 days are over. Ask for a new invitation.');

const isOpen = (hash: string): SQL => sql`l.hash = ${hash} AND l.expires_at > ${Date.now()}`;

/** The link of a secret that was mailed. @throws ApiError not_found */
export async function getSignInLink(db: Database, secret: string): Promise<SignInLink> {
  const hash = await hashToken(secret);
  const [row] = await db.all<Row>(sql`
    SELECT u.id, u.email, o.title FROM sign_in_links l
    CROSS JOIN users u ON u.id = l.user CROSS JOIN organizations o ON o.id = l.organization
    WHERE ${isOpen(hash)}`);
  if (row === undefined) throw over();
  return { hash, user: text(row, 'id'), email: text(row, 'email'), title: text(row, 'title') };
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
