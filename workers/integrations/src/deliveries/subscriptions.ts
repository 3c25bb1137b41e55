import type { Database, RecordOf, Statement } from '@octavo/db';
import { commit, computed, maybe, must, rawQuery, readRow, selection, subscriptions, unlessBeaten } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import type { OrganizationId, WhyPaused } from '@octavo/schema';
import { newId, randomString } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { isSentTo } from './schedule.ts';

/** Where events go: an installation's where its integration says now, which is no other of that name. */
const url = sql`COALESCE(subscriptions.url, (
  SELECT n.webhook FROM integrations n WHERE n.name = subscriptions.integration
    AND n.account = subscriptions.integration_account AND n.unpublished_at IS NULL))`;

/** What signs: an installation's own secret, which is kept here once it is gone. */
const secret = sql`COALESCE((
  SELECT x.signing_secret FROM installations x WHERE x.id = subscriptions.installation), subscriptions.secret)`;

/** A subscription as those see it who send to it: of `subscriptions`. */
export const subscriber = selection({
  id: subscriptions.id,
  organization: subscriptions.organization,
  kind: subscriptions.kind,
  installation: subscriptions.installation,
  integration: subscriptions.integration,
  integrationAccount: subscriptions.integrationAccount,
  status: subscriptions.status,
  url: maybe(computed(String, url)),
  secret: maybe(computed(String, secret)),
  previousSecret: subscriptions.previousSecret,
  previousUntil: subscriptions.previousUntil,
  sealedFor: subscriptions.sealedFor,
  failures: subscriptions.failures,
  failingSince: subscriptions.failingSince,
  failedAttempts: subscriptions.failedAttempts,
  givenUp: subscriptions.givenUp,
  heldUntil: subscriptions.heldUntil,
  generation: subscriptions.generation,
});
export type Subscriber = RecordOf<typeof subscriber>;

/** That a subscription is still as its sender knows it: nobody changed where it is sent, by what secret, or whether. */
export const isAsKnown = ({
  id,
  generation,
  url: known,
}: Pick<Subscriber, 'id' | 'generation' | 'url'>): SQL => sql`EXISTS (
  SELECT 1 FROM subscriptions WHERE id = ${id} AND generation = ${generation} AND ${url} IS ${known})`;

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

const failingForMilliseconds = 7 * 24 * 60 * 60_000;

interface Writes {
  env: IntegrationsEnvironment;
  db: Database;
  background: Background;
}

interface Pause {
  id: string;
  organization: OrganizationId;
  reason: WhyPaused;
  /** Of the subscription: what has to hold still. */
  where: SQL;
}

/** Pauses a webhook by itself; what waits for it is sent once somebody lets it go on. */
export async function pauseWebhook(
  { env, db, background }: Writes,
  { id, organization, reason, where }: Pause,
): Promise<void> {
  const isSo = sql`id = ${id} AND kind = 'webhook' AND status = 'active' AND ${where}`;
  const now = Date.now();
  const statements = {
    guard: must(db, sql`EXISTS (SELECT 1 FROM subscriptions WHERE ${isSo})`),
    paused: rawQuery(sql`
      UPDATE subscriptions SET status = 'paused', updated_at = ${now}, paused_reason = ${reason}, paused_since = ${now},
        wake_at = CASE WHEN lease IS NULL THEN NULL ELSE wake_at END
      WHERE ${isSo}`),
  };
  const caller = { actor: 'system', requestId: newId('request') };
  const written = await unlessBeaten(() =>
    commit(db, caller, statements, [{ type: 'webhook.paused', organization, data: { webhook: id, reason } }]),
  );
  if (written !== undefined) sendEvents(env, background, written.waiting);
}

/** Pauses a webhook that nothing was delivered to for a week. */
export async function pauseFailing(
  writes: Writes,
  { id, kind, organization, failingSince, generation }: Leased,
): Promise<void> {
  if (kind !== 'webhook' || failingSince === null || failingSince > Date.now() - failingForMilliseconds) return;
  const where = sql`generation = ${generation} AND failing_since = ${failingSince}`;
  await pauseWebhook(writes, { id, organization, reason: 'failing', where });
}

/** Pauses a webhook whose receiver answered that it is gone for good, unless it was changed meanwhile. */
export async function pauseGone(writes: Writes, { id, kind, organization, generation }: Leased): Promise<void> {
  if (kind !== 'webhook') return;
  await pauseWebhook(writes, { id, organization, reason: 'gone', where: sql`generation = ${generation}` });
}
