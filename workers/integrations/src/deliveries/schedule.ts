import type { Query } from '@octavo/db';
import { rawQuery } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { describeError, log } from '@octavo/runtime';
import type { SendMessage } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';

/** Subscriptions that get deliveries; the condition of the index `subscriptions_waking`. */
export const isSentTo: SQL = sql.raw("status IN ('active', 'leaving', 'draining')");

/** The earliest time to send: the end of a hold, if there is one. */
export const getEarliestSendTime = (now: number): SQL => sql`MAX(${now}, COALESCE(held_until, 0))`;

/**
 * The wake time of a subscription that has due deliveries. While a sender has the lease, the sender itself looks for
 * due deliveries.
 */
export const getWakeTime = (now: number): SQL =>
  sql`CASE WHEN lease IS NULL THEN ${getEarliestSendTime(now)} ELSE wake_at END`;

/** Selects the distinct pairs of subscription and object in a JSON array. Deliveries of one pair are sent in order. */
export const selectPairs = (json: string): SQL => sql`
  SELECT DISTINCT value->>'subscription' AS subscription, value->>'object' AS object FROM json_each(${json})`;

/** Selects the first pending delivery of each pair. */
const selectHeads = (objects: SQL): SQL => sql`
  SELECT pair.subscription, (
    SELECT MIN(seq) FROM deliveries d INDEXED BY deliveries_pending
    WHERE d.subscription = pair.subscription AND d.object = pair.object AND d.status = 'pending')
  FROM (${objects}) pair`;

/** Makes the first pending delivery of each pair due, unless it has a due time. */
export const makeHeadsDue = (objects: SQL, now: number): Query<unknown> =>
  rawQuery(sql`
    UPDATE deliveries SET due_at = ${now}
    WHERE status = 'pending' AND due_at IS NULL AND (subscription, seq) IN (${selectHeads(objects)})`);

/** Removes the due time of each pair's first pending delivery, before an earlier delivery becomes pending. */
export const clearHeadTimes = (objects: SQL): Query<unknown> =>
  rawQuery(sql`
    UPDATE deliveries SET due_at = NULL
    WHERE status = 'pending' AND due_at IS NOT NULL AND (subscription, seq) IN (${selectHeads(objects)})`);

const firstMilliseconds = 2000;
const maxMilliseconds = 60 * 60_000;
const triedForMilliseconds = 24 * 60 * 60_000;
const firstHoldMilliseconds = 5000;

/** Sending is suspended for a while after this many consecutive failures. */
export const failuresUntilHeld = 3;

/** Varies a delay by 20 %, so that deliveries which failed together are not retried together. */
function addJitter(milliseconds: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return Math.round(milliseconds * (0.8 + (0.4 * random) / 2 ** 32));
}

const limitDelay = (milliseconds: number, minimum: number): number =>
  Math.min(Math.max(milliseconds, minimum), maxMilliseconds);

/** Returns the delay before the next attempt: from seconds to an hour, at least as long as the receiver asks for. */
export const getRetryDelay = (attempts: number, retryAfter = 0): number =>
  limitDelay(addJitter(Math.min(firstMilliseconds * 2 ** (attempts - 1), maxMilliseconds)), retryAfter);

/** Returns how long sending is suspended: half of the time that the receiver has been failing. */
export const getHoldTime = (failingFor: number, retryAfter = 0): number =>
  limitDelay(addJitter(Math.min(Math.max(firstHoldMilliseconds, failingFor / 2), maxMilliseconds)), retryAfter);

/** Returns the deadline of retries for a delivery that fails for the first time. */
export const getRetryDeadline = (now: number): number => now + triedForMilliseconds;

/** Parses a `Retry-After` header to milliseconds, at most an hour; 0 if it is missing or malformed. */
export function parseRetryAfter(header: string | null, now: number): number {
  if (header === null) return 0;
  const delay = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(delay) ? Math.min(Math.max(delay, 0), maxMilliseconds) : 0;
}

const maxPerBatch = 100;
/** A subscription that is due within this time is queued immediately. The sweep finds later ones. */
const soonMilliseconds = 60_000;

/** Queues subscriptions for sending. */
export async function wake(env: IntegrationsEnvironment, dueMessages: SendMessage[], delaySeconds = 0): Promise<void> {
  const messages = dueMessages.map((body) => ({ body, delaySeconds }));
  for (let start = 0; start < messages.length; start += maxPerBatch)
    await env.SENDS.sendBatch(messages.slice(start, start + maxPerBatch));
}

/** Queues subscriptions for sending after the response. If this fails, the sweep finds them. */
export function wakeAfterCommit(
  env: IntegrationsEnvironment,
  background: Background,
  messages: SendMessage[],
  delaySeconds = 0,
): void {
  background.waitUntil(
    wake(env, messages, delaySeconds).catch((error: unknown) =>
      log('error', 'could not queue subscriptions, the cron will retry', { cause: describeError(error) }),
    ),
  );
}

/** Queues a subscription for the time when its next delivery is due. */
export function wakeLater(
  env: IntegrationsEnvironment,
  background: Background,
  message: SendMessage,
  offset: number,
): void {
  const milliseconds = Math.max(0, offset - Date.now());
  if (milliseconds <= soonMilliseconds) wakeAfterCommit(env, background, [message], Math.ceil(milliseconds / 1000));
}
