import type { Query } from '@octavo/db';
import { computed, connect, runBatch, selection, subscriptions } from '@octavo/db';
import { deleteInBatches } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { createId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { isSentTo, wake } from './schedule.ts';
import { endLeases } from './subscriptions.ts';

const maxFed = 1000;
const maxDue = 5000;
const maxWoken = 500;
const maxPerBatch = 100;
const keptMilliseconds = 30 * 24 * 60 * 60_000;

const fedRow = selection({ organization: computed((id: OrganizationId) => id, sql`fed.organization`) });
const dueRow = selection({ subscription: subscriptions.id, organization: subscriptions.organization });

/** Selects organizations with events in the feed, ordered by id, after the given id. Reads one row for each of them. */
const selectOrganizationsAfter = (id: string): Query<{ organization: OrganizationId }> => {
  const selectNextOrganization = (after: SQL) => sql`(
    SELECT organization FROM feed INDEXED BY feed_of_organization
    WHERE organization > ${after} ORDER BY organization LIMIT 1)`;
  return fedRow.query(sql`
    WITH RECURSIVE fed (organization) AS (
      SELECT ${selectNextOrganization(sql`${id}`)}
      UNION ALL SELECT ${selectNextOrganization(sql`fed.organization`)} FROM fed WHERE fed.organization IS NOT NULL LIMIT ${maxFed})
    SELECT ${fedRow} FROM fed WHERE fed.organization IS NOT NULL`);
};

/**
 * Selects due subscriptions, oldest first, in rounds of one for each organization, so that one organization cannot
 * delay the others.
 */
const selectDueSubscriptions = (now: number) =>
  dueRow.query(sql`
    SELECT ${dueRow} FROM (
      SELECT id, organization, wake_at,
        ROW_NUMBER() OVER (PARTITION BY organization ORDER BY wake_at) AS turn
      FROM (
        SELECT id, organization, wake_at FROM subscriptions INDEXED BY subscriptions_waking
        WHERE ${isSentTo} AND wake_at <= ${now} ORDER BY wake_at LIMIT ${maxDue})) subscriptions
    ORDER BY turn, wake_at LIMIT ${maxWoken}`);

/** Finds events in the feed and due subscriptions whose queue messages were lost or never sent. */
export async function sweepDeliveries(env: IntegrationsEnvironment): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  // The random start makes sure that every organization is found, even if there are more than the limit.
  const { some, first, due } = await runBatch(db, {
    some: selectOrganizationsAfter(createId('organization')),
    first: selectOrganizationsAfter(''),
    due: selectDueSubscriptions(Date.now()),
  });
  const organizations = [...new Set([...some, ...first].map(({ organization }) => organization))];
  const messages = organizations.map((id) => ({ body: { id, type: 'feed' as const } }));
  for (let start = 0; start < messages.length; start += maxPerBatch)
    await env.DELIVERIES?.sendBatch(messages.slice(start, start + maxPerBatch));
  await wake(env, due);
}

/** Resumes the work that a former runtime left. */
export async function recoverDeliveries(env: IntegrationsEnvironment, started: number): Promise<void> {
  await endLeases(connect(env.DB, { intent: 'write' }).db, started);
  await sweepDeliveries(env);
}

const selectDeleted =
  (condition: SQL): ((limit: SQL) => SQL) =>
  (limit) =>
    sql`
  DELETE FROM deliveries WHERE (subscription, seq) IN (${condition} LIMIT ${limit}) RETURNING 1`;

/** Deletes settled deliveries after a month, and all deliveries of subscriptions that have ended. */
export async function deleteOldDeliveries(env: IntegrationsEnvironment): Promise<void> {
  const now = Date.now();
  const before = now - keptMilliseconds;
  const isLongPaused = sql`s.clean_at > 0 AND s.clean_at <= ${now}`;
  const parts: Record<string, (limit: SQL) => SQL> = {
    'settled deliveries': selectDeleted(sql`
      SELECT subscription, seq FROM deliveries INDEXED BY deliveries_settled
      WHERE settled_at < ${before} ORDER BY settled_at`),
    'deliveries of ended subscriptions': selectDeleted(sql`
      SELECT d.subscription, d.seq FROM subscriptions s INDEXED BY subscriptions_to_clean
      CROSS JOIN deliveries d ON d.subscription = s.id WHERE s.clean_at = 0`),
    'deliveries pending for a month': selectDeleted(sql`
      SELECT d.subscription, d.seq FROM subscriptions s INDEXED BY subscriptions_to_clean
      CROSS JOIN deliveries d INDEXED BY deliveries_pending ON d.subscription = s.id AND d.status = 'pending'
      WHERE ${isLongPaused}`),
    subscriptions: (limit) => sql`DELETE FROM subscriptions WHERE id IN (
      SELECT s.id FROM subscriptions s INDEXED BY subscriptions_to_clean
      WHERE s.clean_at = 0 AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.subscription = s.id)
      LIMIT ${limit}) RETURNING 1`,
    'cleanup timestamps of paused subscriptions': (limit) => sql`UPDATE subscriptions SET clean_at = NULL WHERE id IN (
      SELECT s.id FROM subscriptions s INDEXED BY subscriptions_to_clean
      WHERE ${isLongPaused} AND NOT EXISTS (
        SELECT 1 FROM deliveries d INDEXED BY deliveries_pending WHERE d.subscription = s.id AND d.status = 'pending')
      LIMIT ${limit}) RETURNING 1`,
  };
  for (const [description, part] of Object.entries(parts)) await deleteInBatches(env, description, part);
}
