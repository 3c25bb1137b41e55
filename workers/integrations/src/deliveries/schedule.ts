import type { Query } from '@octavo/db';
import { rawQuery } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { describe, log } from '@octavo/runtime';
import type { SendMessage } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';

/** Those that are sent to, as the index `subscriptions_waking` has them. */
export const isSentTo: SQL = sql.raw("status IN ('active', 'leaving', 'draining')");

/** When something may be sent next: once what holds it is over. */
export const mayBeSentAt = (now: number): SQL => sql`MAX(${now}, COALESCE(held_until, 0))`;

/** When a subscription is to be looked after that something has become due for. Whoever sends to it looks by itself. */
export const wakeAt = (now: number): SQL => sql`CASE WHEN lease IS NULL THEN ${mayBeSentAt(now)} ELSE wake_at END`;

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

const firstMilliseconds = 2000;
const maxMilliseconds = 60 * 60_000;
const triedForMilliseconds = 24 * 60 * 60_000;
const firstHoldMilliseconds = 5000;

/** Attempts that fail one after the other until nothing more is sent for a while. */
export const failuresUntilHeld = 3;

/** A fifth more or less, so that what failed together does not come again together. */
function jittered(milliseconds: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return Math.round(milliseconds * (0.8 + (0.4 * random) / 2 ** 32));
}

const within = (milliseconds: number, least: number): number =>
  Math.min(Math.max(milliseconds, least), maxMilliseconds);

/** How long a delivery waits that has failed so often: from seconds to an hour, and as the receiver asks for. */
export const delayAfter = (attempts: number, retryAfter = 0): number =>
  within(jittered(Math.min(firstMilliseconds * 2 ** (attempts - 1), maxMilliseconds)), retryAfter);

/** How long nothing is sent to a receiver that has failed for so long: the longer, the longer. */
export const holdAfter = (failingFor: number, retryAfter = 0): number =>
  within(jittered(Math.min(Math.max(firstHoldMilliseconds, failingFor / 2), maxMilliseconds)), retryAfter);

/** Until when a delivery is tried that fails now for the first time. */
export const triedUntil = (now: number): number => now + triedForMilliseconds;

/** The header `Retry-After`, in milliseconds from now, within an hour; 0 where it says nothing. */
export function retryAfterOf(header: string | null, now: number): number {
  if (header === null) return 0;
  const wanted = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 0), maxMilliseconds) : 0;
}

const maxPerBatch = 100;
/** What is due later than that is left to the sweep. */
const soonMilliseconds = 60_000;

/** Has something sent to subscriptions. */
export async function wake(env: IntegrationsEnvironment, due: SendMessage[], delaySeconds = 0): Promise<void> {
  const messages = due.map((body) => ({ body, delaySeconds }));
  for (let start = 0; start < messages.length; start += maxPerBatch)
    await env.SENDS.sendBatch(messages.slice(start, start + maxPerBatch));
}

/** Wakes subscriptions after the answer. One that is lost on the way is woken by the sweep. */
export function wakeAfterwards(
  env: IntegrationsEnvironment,
  background: Background,
  due: SendMessage[],
  delaySeconds = 0,
): void {
  background.waitUntil(
    wake(env, due, delaySeconds).catch((error: unknown) =>
      log('error', 'subscriptions wait for the sweep', { cause: describe(error) }),
    ),
  );
}

/** Wakes a subscription when something is due for it. */
export function wakeLater(env: IntegrationsEnvironment, background: Background, due: SendMessage, at: number): void {
  const milliseconds = Math.max(0, at - Date.now());
  if (milliseconds <= soonMilliseconds) wakeAfterwards(env, background, [due], Math.ceil(milliseconds / 1000));
}
