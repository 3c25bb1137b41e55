import type { RecordOf } from '@octavo/db';
import { deliveries, selection } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { OrganizationId, WebhookDelivery } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { aliasedTable } from 'drizzle-orm';

const d = aliasedTable(deliveries, 'd');

/** Of `deliveries d`. */
export const deliveryRow = selection({
  seq: d.seq,
  id: d.id,
  subscription: d.subscription,
  event: d.event,
  type: d.type,
  status: d.status,
  dueAt: d.dueAt,
  attempts: d.attempts,
  answered: d.answered,
  error: d.error,
  createdAt: d.createdAt,
  settledAt: d.settledAt,
});
export type DeliveryRecord = RecordOf<typeof deliveryRow>;

interface Shown {
  urls: Urls;
  organization: OrganizationId;
}

/** What is sent to a webhook, as admins see it. */
export function presentDelivery(record: DeliveryRecord, { urls, organization }: Shown): WebhookDelivery {
  const { id, subscription, status, attempts, dueAt, answered, error, settledAt } = record;
  return {
    object: 'webhook-delivery',
    id,
    event: { id: record.event, type: record.type },
    status,
    attempts,
    ...(dueAt === null ? {} : { dueAt: timestamp(dueAt) }),
    ...(answered === null ? {} : { answered }),
    ...(error === null ? {} : { error }),
    createdAt: timestamp(record.createdAt),
    ...(settledAt === null ? {} : { settledAt: timestamp(settledAt) }),
    urls: { location: urls.location(`/orgs/${organization}/webhooks/${subscription}/deliveries/${id}`) },
  };
}
