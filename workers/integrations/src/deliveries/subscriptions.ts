import type { Database, RecordOf, Statement } from '@octavo/db';
import {
  abortUnless,
  commit,
  computed,
  ignoreConflict,
  nullable,
  rawQuery,
  readRow,
  selection,
  subscriptions,
} from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import type { OrganizationId, WebhookPauseReason } from '@octavo/schema';
import { createId, createRandomString } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { isSentTo } from './schedule.ts';

/**
 * The receiver's address. For an installation it is read from the installation's integration, but not from another
 * integration that took over the name.
 */
const url = sql`COALESCE(subscriptions.url, (
  SELECT n.webhook FROM integrations n WHERE n.name = subscriptions.integration
    AND n.account = subscriptions.integration_account AND n.unpublished_at IS NULL))`;

/** The signing secret. When an installation is deleted, its secret is copied to the subscription. */
const secret = sql`COALESCE((
  SELECT x.signing_secret FROM installations x WHERE x.id = subscriptions.installation), subscriptions.secret)`;

/** A subscription as its sender needs it. Selects from `subscriptions`. */
export const subscriber = selection({
  id: subscriptions.id,
  organization: subscriptions.organization,
  kind: subscriptions.kind,
  installation: subscriptions.installation,
  integration: subscriptions.integration,
  integrationAccount: subscriptions.integrationAccount,
  status: subscriptions.status,
  url: nullable(computed(String, url)),
  secret: nullable(computed(String, secret)),
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

/** Checks that address, secret and status of a subscription are still those that its sender read. */
export const isUnchanged = ({
  id,
  generation,
  url: knownUrl,
}: Pick<Subscriber, 'id' | 'generation' | 'url'>): SQL => sql`EXISTS (
  SELECT 1 FROM subscriptions WHERE id = ${id} AND generation = ${generation} AND ${url} IS ${knownUrl})`;

/** Duration of a lease. It must be longer than a round, which renews the lease. */
export const leaseMilliseconds = 60_000;

/** A subscription that this worker has leased. */
export interface LeasedSubscription extends Subscriber {
  lease: string;
}

/**
 * Takes the lease of a subscription, unless another sender has it or sending is suspended. The lease of a killed run
 * expires at `wake_at`.
 */
export async function takeLease(db: Database, id: string): Promise<LeasedSubscription | undefined> {
  const now = Date.now();
  const lease = createRandomString(20);
  const takeQuery = subscriber.query(sql`
    UPDATE subscriptions SET lease = ${lease}, wake_at = ${now + leaseMilliseconds}
    WHERE id = ${id} AND ${isSentTo} AND (lease IS NULL OR wake_at <= ${now})
      AND COALESCE(held_until, 0) <= ${now}
    RETURNING ${subscriber}`);
  const subscription = await readRow(db, takeQuery);
  return subscription === undefined ? undefined : { ...subscription, lease };
}

const releasedRow = selection({ wakeAt: nullable(subscriptions.wakeAt) });

/** Releases a lease. Returns the time at which the next delivery is due, or undefined if no delivery is pending. */
export async function releaseLease(db: Database, { id, lease }: LeasedSubscription): Promise<number | undefined> {
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

/** Ends the leases of a former runtime. */
export async function endLeases(db: Database, started: number): Promise<void> {
  await db.run(sql`
    UPDATE subscriptions SET lease = NULL, wake_at = ${started}
    WHERE lease IS NOT NULL AND ${isSentTo} AND wake_at < ${started + leaseMilliseconds}`);
}

/** The values of a subscription without failures, in the columns that record failures. */
export const clearedFailureColumns = {
  failures: 0,
  failingSince: null,
  failedAttempts: 0,
  givenUp: 0,
  heldUntil: null,
};

/** Forgets the failures of a subscription after a change that may have fixed them. The sweep wakes it. */
const resetFailures = (db: Database, condition: SQL): Statement =>
  db
    .update(subscriptions)
    .set({
      ...clearedFailureColumns,
      wakeAt: sql`CASE WHEN lease IS NULL THEN ${Date.now()} ELSE wake_at END`,
      generation: sql`generation + 1`,
    })
    .where(sql`installation = (${condition}) AND status = 'active' AND failing_since IS NOT NULL`);

/**
 * Resets the failures of an installation after a person has configured it. A change by the installation's own script
 * does not reset them. Otherwise, a script that changes its configuration and then fails would be retried forever.
 */
export const resetInstallationFailures = (db: Database, installation: string): Statement =>
  resetFailures(db, sql`${installation}`);

/** Resets the failures of the publisher's own installation, after a new version or a change of the development mode. */
export const resetOwnInstallationFailures = (db: Database, integration: string, owner: OrganizationId): Statement =>
  resetFailures(db, sql`SELECT id FROM installations WHERE integration = ${integration} AND organization = ${owner}`);

const failingForMilliseconds = 7 * 24 * 60 * 60_000;

interface Writes {
  env: IntegrationsEnvironment;
  db: Database;
  background: Background;
}

interface Pause {
  id: string;
  organization: OrganizationId;
  reason: WebhookPauseReason;
  /** A condition of the subscription that must still hold. */
  condition: SQL;
}

/** Pauses a webhook automatically. Its waiting deliveries are sent when it is resumed. */
export async function pauseWebhook(
  { env, db, background }: Writes,
  { id, organization, reason, condition }: Pause,
): Promise<void> {
  const isSo = sql`id = ${id} AND kind = 'webhook' AND status = 'active' AND ${condition}`;
  const now = Date.now();
  const statements = {
    guard: abortUnless(db, sql`EXISTS (SELECT 1 FROM subscriptions WHERE ${isSo})`),
    paused: rawQuery(sql`
      UPDATE subscriptions SET status = 'paused', updated_at = ${now}, paused_reason = ${reason}, paused_since = ${now},
        wake_at = CASE WHEN lease IS NULL THEN NULL ELSE wake_at END
      WHERE ${isSo}`),
  };
  const caller = { actor: 'system', requestId: createId('request') };
  const result = await ignoreConflict(() =>
    commit(db, caller, statements, [{ type: 'webhook.paused', organization, data: { webhook: id, reason } }]),
  );
  if (result !== undefined) sendEvents(env, background, result.messages);
}

/** Pauses a webhook that has been failing for a week. */
export async function pauseFailingWebhook(
  writes: Writes,
  { id, kind, organization, failingSince, generation }: LeasedSubscription,
): Promise<void> {
  if (kind !== 'webhook' || failingSince === null || failingSince > Date.now() - failingForMilliseconds) return;
  const isSameFailure = sql`generation = ${generation} AND failing_since = ${failingSince}`;
  await pauseWebhook(writes, { id, organization, reason: 'failing', condition: isSameFailure });
}

/** Pauses a webhook whose receiver is gone, unless the webhook was changed meanwhile. */
export async function pauseUnreachable(
  writes: Writes,
  { id, kind, organization, generation }: LeasedSubscription,
): Promise<void> {
  if (kind !== 'webhook') return;
  await pauseWebhook(writes, { id, organization, reason: 'gone', condition: sql`generation = ${generation}` });
}
