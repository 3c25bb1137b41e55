import type { Database } from '@octavo/db';
import { hashToken, runBatch, signInLinks } from '@octavo/db';
import type { OrganizationId, UserId } from '@octavo/schema';
import { randomString } from '@octavo/schema';
import { sql } from 'drizzle-orm';

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
