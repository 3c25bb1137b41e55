import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** Those that are sent to, as the index `subscriptions_waking` has them. */
export const isSentTo: SQL = sql.raw("status IN ('active', 'leaving', 'draining')");

/** When something may be sent next: once what holds it is over. */
export const mayBeSentAt = (now: number): SQL => sql`MAX(${now}, COALESCE(held_until, 0))`;

/** When a subscription is to be looked after that something has become due for. Whoever sends to it looks by itself. */
export const wakeAt = (now: number): SQL => sql`CASE WHEN lease IS NULL THEN ${mayBeSentAt(now)} ELSE wake_at END`;
