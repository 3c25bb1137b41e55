import type { Database } from '@octavo/db';
import { ssoIdentities, tokens } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

const always = sql`1`;

/** Ends what the users of a provider hold in its organization through it: to be run while their identities are there. */
export const endSessions = (db: Database, provider: string, when: SQL = always) =>
  db.delete(tokens).where(sql`${when} AND id IN (
    SELECT t.id FROM sso_identities i CROSS JOIN tokens t ON t.user = i.user AND t.organization = i.organization
    WHERE i.provider = ${provider})`);

export const endIdentities = (db: Database, provider: string, when: SQL = always) =>
  db.delete(ssoIdentities).where(sql`${when} AND provider = ${provider}`);
