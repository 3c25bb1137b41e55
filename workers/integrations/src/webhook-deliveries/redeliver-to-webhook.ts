import { onlyRow, readRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { conflict, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { findWebhook } from '../webhooks/find-webhook.ts';
import { deliveryRow, presentDelivery } from './delivery-record.ts';
import { redeliver } from './redeliver.ts';

export const redeliverToWebhook: Handler<typeof integrations.redeliverToWebhook, IntegrationsEnvironment> = async (
  { params: { webhookId, deliveryId } },
  context,
) => {
  const { db, organization, urls } = context;
  const webhook = await findWebhook(db, organization.id, webhookId);
  const found = await readRow(
    db,
    deliveryRow.query(sql`SELECT ${deliveryRow} FROM deliveries d
      WHERE d.id = ${deliveryId} AND d.subscription = ${webhook.id}`),
  );
  if (found === undefined) throw notFound('delivery');
  const isSettled = {
    holds: sql`EXISTS (SELECT 1 FROM deliveries WHERE id = ${deliveryId} AND status <> 'pending')`,
    otherwise: () => conflict('The event is still being delivered.'),
  };
  const which = sql`SELECT ${found.seq}`;
  const changed = await redeliver(context, { webhook, which, count: 1, checks: [isSettled] });
  return presentDelivery(onlyRow(changed), { urls, organization: organization.id });
};
