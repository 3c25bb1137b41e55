import type { Database } from '@octavo/db';
import { maybe, readRow, selection, subscriptions } from '@octavo/db';
import { randomString } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Subscriber } from './subscriber.ts';
import { subscriber } from './subscriber.ts';
import { isSentTo } from './wake-at.ts';

/** Longer than a round takes, at whose end the lease begins anew. */
export const leaseMilliseconds = 60_000;

/** A subscription that only we send to, as long as the lease lasts. */
export interface Leased extends Subscriber {
  lease: string;
}

/**
 * Takes a subscription, unless another sends to it, or nothing may be sent now. A lease that a killed run left ends by
 * itself: `wake_at` is when it does.
 */
export async function takeLease(db: Database, id: string): Promise<Leased | undefined> {
  const now = Date.now();
  const lease = randomString(20);
  const taken = subscriber.query(sql`
    UPDATE subscriptions SET lease = ${lease}, wake_at = ${now + leaseMilliseconds}
    WHERE id = ${id} AND ${isSentTo} AND (lease IS NULL OR wake_at <= ${now})
      AND COALESCE(held_until, 0) <= ${now}
    RETURNING ${subscriber}`);
  const found = await readRow(db, taken);
  return found === undefined ? undefined : { ...found, lease };
}

const releasedRow = selection({ wakeAt: maybe(subscriptions.wakeAt) });

/** Gives a subscription back. Tells when something is due for it next; undefined where nothing is. */
export async function releaseLease(db: Database, { id, lease }: Leased): Promise<number | undefined> {
  const released = releasedRow.query(sql`
    UPDATE subscriptions SET lease = NULL,
      status = CASE WHEN status = 'draining' AND NOT EXISTS (
        SELECT 1 FROM deliveries d INDEXED BY deliveries_due WHERE d.subscription = subscriptions.id
          AND d.due_at IS NOT NULL) THEN 'ended' ELSE status END,
      wake_at = CASE WHEN ${isSentTo} THEN (
        SELECT MAX(MIN(d.due_at), COALESCE(subscriptions.held_until, 0)) FROM deliveries d INDEXED BY deliveries_due
        WHERE d.subscription = subscriptions.id AND d.due_at IS NOT NULL) END
    WHERE id = ${id} AND lease = ${lease} RETURNING ${releasedRow}`);
  return (await readRow(db, released))?.wakeAt ?? undefined;
}

/** Ends the leases that a runtime left that is no more. */
export async function endLeases(db: Database, started: number): Promise<void> {
  await db.run(sql`
    UPDATE subscriptions SET lease = NULL, wake_at = ${started}
    WHERE lease IS NOT NULL AND ${isSentTo} AND wake_at < ${started + leaseMilliseconds}`);
}
