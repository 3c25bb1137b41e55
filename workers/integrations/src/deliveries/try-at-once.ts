import type { Database, Statement } from '@octavo/db';
import { subscriptions } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** What a subscription has whose failures say nothing of how it is now. */
export const unfailed = { failures: 0, failingSince: null, failedAttempts: 0, givenUp: 0, heldUntil: null };

/** What failed before somebody changed what decides over it, holds nothing back any more; the sweep wakes it. */
const tryAgain = (db: Database, ofInstallation: SQL): Statement =>
  db
    .update(subscriptions)
    .set({
      ...unfailed,
      wakeAt: sql`CASE WHEN lease IS NULL THEN ${Date.now()} ELSE wake_at END`,
      generation: sql`generation + 1`,
    })
    .where(sql`installation = (${ofInstallation}) AND status = 'active' AND failing_since IS NOT NULL`);

/** Of an installation that somebody configured. Not by a script: one that fails after that would go round for ever. */
export const tryInstallationAgain = (db: Database, installation: string): Statement =>
  tryAgain(db, sql`${installation}`);

/** Of the installation where an integration is published, with another version or another place where its script runs. */
export const tryOwnInstallationAgain = (db: Database, integration: string, owner: OrganizationId): Statement =>
  tryAgain(db, sql`SELECT id FROM installations WHERE integration = ${integration} AND organization = ${owner}`);
