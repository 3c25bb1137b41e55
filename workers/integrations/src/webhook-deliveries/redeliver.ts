import type { Check, Database } from '@octavo/db';
import { commitChecked, selection } from '@octavo/db';
import type { ActorContext } from '@octavo/runtime';
import { conflict } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { makeHeadsDue, takeTimesOfHeads } from '../deliveries/make-heads-due.ts';
import { wake } from '../deliveries/wake.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import type { WebhookRecord } from '../webhooks/webhook-record.ts';
import type { DeliveryRecord } from './delivery-record.ts';
import { deliveryRow } from './delivery-record.ts';

const countRow = selection({ seq: deliveryRow.fields.seq });

interface Redelivery {
  webhook: WebhookRecord;
  /** Which of its deliveries, by `seq`. */
  which: SQL;
  /** How many there are. */
  count: number;
  checks?: Check[];
}

interface Context extends Pick<ActorContext, 'commit'> {
  db: Database;
  env: IntegrationsEnvironment;
}

/** Has settled deliveries sent once more, tried for another day. Gives them. */
export async function redeliver(
  { db, env, commit }: Context,
  { webhook, which, count, checks = [] }: Redelivery,
): Promise<DeliveryRecord[]> {
  const { id, organization } = webhook;
  const now = Date.now();
  const isActive = {
    holds: sql`EXISTS (SELECT 1 FROM subscriptions WHERE id = ${id} AND status = 'active')`,
    otherwise: () => conflict('The webhook is paused: let it go on first.'),
  };
  const lanes = sql`
    SELECT DISTINCT d.subscription, d.object FROM deliveries d WHERE d.subscription = ${id} AND d.seq IN (${which})`;
  const statements = {
    overtaken: takeTimesOfHeads(lanes),
    again: countRow.query(sql`
      UPDATE deliveries AS d SET status = 'pending', due_at = NULL, settled_at = NULL, retry_until = NULL, tries = 0,
        redeliveries = redeliveries + 1
      WHERE d.subscription = ${id} AND d.status <> 'pending' AND d.seq IN (${which}) RETURNING seq`),
    heads: makeHeadsDue(lanes, now),
    woken: db.run(sql`
      UPDATE subscriptions SET held_until = NULL, wake_at = CASE WHEN lease IS NULL THEN ${now} ELSE wake_at END
      WHERE id = ${id}`),
    changed: deliveryRow.query(sql`
      SELECT ${deliveryRow} FROM deliveries d WHERE d.subscription = ${id} AND d.seq IN (${which}) ORDER BY d.seq`),
  };
  const { changed } = await commitChecked(db, [isActive, ...checks], (guards) =>
    commit({ guards, ...statements }, [
      { type: 'webhook.redelivered', organization, data: { webhook: id, deliveries: count } },
    ]),
  );
  await wake(env, [{ subscription: id, organization }]);
  return changed;
}
