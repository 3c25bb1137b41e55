import { readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { maxRedelivered } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { findWebhook } from '../webhooks/find-webhook.ts';
import { deliveryRow } from './delivery-record.ts';
import { redeliver } from './redeliver.ts';

/** The oldest first. */
export const redeliverDeadToWebhook: Handler<
  typeof integrations.redeliverDeadToWebhook,
  IntegrationsEnvironment
> = async ({ params: { webhookId }, body: { since } }, context) => {
  const { db, organization } = context;
  const webhook = await findWebhook(db, organization.id, webhookId);
  const dead = await readRows(
    db,
    deliveryRow.query(sql`
      SELECT ${deliveryRow} FROM deliveries d INDEXED BY deliveries_dead
      WHERE d.subscription = ${webhook.id} AND d.status = 'dead' AND d.settled_at >= ${Date.parse(since)}
      ORDER BY d.settled_at, d.seq LIMIT ${maxRedelivered + 1}`),
  );
  const chosen = dead.slice(0, maxRedelivered).map(({ seq }) => seq);
  if (chosen.length === 0) return { redelivered: 0, hasMore: false };
  const which = sql`SELECT value FROM json_each(${JSON.stringify(chosen)})`;
  await redeliver(context, { webhook, which, count: chosen.length });
  return { redelivered: chosen.length, hasMore: dead.length > maxRedelivered };
};
