import type { Query } from '@octavo/db';
import { rawQuery } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** Lanes of a JSON array of what has a subscription and an object: the deliveries of a lane go one after the other. */
export const lanesOf = (json: string): SQL => sql`
  SELECT DISTINCT value->>'subscription' AS subscription, value->>'object' AS object FROM json_each(${json})`;

/** The first delivery of each lane that is not settled. */
const headsOf = (lanes: SQL): SQL => sql`
  SELECT lane.subscription, (
    SELECT MIN(seq) FROM deliveries d INDEXED BY deliveries_pending
    WHERE d.subscription = lane.subscription AND d.object = lane.object AND d.status = 'pending')
  FROM (${lanes}) lane`;

/** Makes the first delivery of each lane due, unless it has a time already. */
export const makeHeadsDue = (lanes: SQL, now: number): Query<unknown> =>
  rawQuery(sql`
    UPDATE deliveries SET due_at = ${now}
    WHERE status = 'pending' AND due_at IS NULL AND (subscription, seq) IN (${headsOf(lanes)})`);

/** Takes its time from the first delivery of each lane, before another comes first. */
export const takeTimesOfHeads = (lanes: SQL): Query<unknown> =>
  rawQuery(sql`
    UPDATE deliveries SET due_at = NULL
    WHERE status = 'pending' AND due_at IS NOT NULL AND (subscription, seq) IN (${headsOf(lanes)})`);
