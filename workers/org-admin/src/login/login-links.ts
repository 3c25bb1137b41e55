import type { Check, Database } from '@octavo/db';
import {
  commit,
  commitChecked,
  fromQuery,
  hashToken,
  loginLinks,
  readRow,
  runBatch,
  selection,
  users,
} from '@octavo/db';
import type { PageContext } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import type { LoginLink, UserId } from '@octavo/schema';
import { createId, createRandomString, formatTimestamp, notFound, rateLimited } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { appPath } from './destination.ts';

const secretLength = 40;
const lastsMilliseconds = 15 * 60_000;
const operatorLinkMilliseconds = 60 * 60_000;
const maxLinksPerAddress = 5;

/**
 * Requests a mail with a link for an address. Whether a user has the address is looked up only when the mail is sent:
 * this request costs the same for every address. @throws ApiError rate_limited
 */
export async function requestLoginLink(
  { db, env, background, toCaller: getCaller }: PageContext<OrgAdminEnvironment>,
  { email, destination }: { email: string; destination: string },
): Promise<void> {
  const id = createId('loginLink');
  const now = Date.now();
  const row = { id, email, destination, createdAt: now, expiresAt: now + lastsMilliseconds };
  const { messages } = await commitChecked(db, [createLinkLimitCheck(email)], (guards) =>
    commit(
      db,
      getCaller(''),
      [...guards, db.insert(loginLinks).values(row)],
      [{ type: 'mail.requested', data: { user: '', mail: id } }],
    ),
  );
  sendEvents(env, background, messages);
}

/**
 * Only links that have not expired count. Otherwise another person could request links for an address, and its user could
 * neither use them nor request another one.
 */
const createLinkLimitCheck = (email: string): Check => ({
  condition: sql`(SELECT COUNT(*) FROM login_links WHERE email = ${email} AND created_at > ${Date.now() - lastsMilliseconds}) < ${maxLinksPerAddress}`,
  createError: () =>
    rateLimited(
      `At most ${maxLinksPerAddress} sign-in mails can be requested for an address in 15 minutes. Use the newest mail, or try again later.`,
      lastsMilliseconds / 1000,
    ),
});

/** Adds a new secret to a requested link, and returns the secret. Only its hash is stored. */
export async function completeLoginLink(db: Database, id: string, user: UserId): Promise<string> {
  const secret = createRandomString(secretLength);
  const hash = await hashToken(secret);
  await runBatch(db, [db.update(loginLinks).set({ hash, user }).where(eq(loginLinks.id, id))]);
  return secret;
}

const personRow = selection({ id: fromQuery(users.id), email: fromQuery(users.email) });

/** Creates a link for the operator of the installation that signs a user in once. @throws ApiError not_found */
export async function createLoginLink(
  db: Database,
  email: string,
  getUrl: (path: string) => string,
): Promise<LoginLink> {
  const user = await readRow(
    db,
    personRow.query(sql`SELECT id, email FROM users WHERE email = ${email} AND kind = 'person'`),
  );
  if (user === undefined) throw notFound('user');
  const secret = createRandomString(secretLength);
  const now = Date.now();
  const expiresAt = now + operatorLinkMilliseconds;
  const row = {
    ...{ id: createId('loginLink'), email: user.email.toLowerCase(), destination: appPath, user: user.id },
    ...{ hash: await hashToken(secret), createdAt: now, expiresAt },
  };
  await runBatch(db, [db.insert(loginLinks).values(row)]);
  return { url: getUrl(`/sign-in/${secret}`), expiresAt: formatTimestamp(expiresAt) };
}
