import type { Query, RecordOf } from '@octavo/db';
import { selection, subscriptions } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { OrganizationId, Webhook } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

const s = aliasedTable(subscriptions, 's');

/** Of `subscriptions s`. */
export const webhookRow = selection({
  id: s.id,
  organization: s.organization,
  status: s.status,
  url: s.url,
  description: s.description,
  events: s.events,
  spaces: s.spaces,
  secret: s.secret,
  previousSecret: s.previousSecret,
  previousUntil: s.previousUntil,
  sealedFor: s.sealedFor,
  pausedReason: s.pausedReason,
  pausedSince: s.pausedSince,
  failingSince: s.failingSince,
  failedAttempts: s.failedAttempts,
  givenUp: s.givenUp,
  heldUntil: s.heldUntil,
  createdBy: s.createdBy,
  createdAt: s.createdAt,
  updatedAt: s.updatedAt,
});
export type WebhookRecord = RecordOf<typeof webhookRow>;

/** The webhooks of an organization: of `subscriptions s` those that admins see. */
export const isWebhookOf = (organization: OrganizationId): SQL =>
  sql`s.organization = ${organization} AND s.kind = 'webhook' AND s.status <> 'ended'`;

/** A webhook of an organization. */
export const selectWebhook = (organization: OrganizationId, id: string): Query<WebhookRecord> =>
  webhookRow.query(sql`SELECT ${webhookRow} FROM subscriptions s WHERE s.id = ${id} AND ${isWebhookOf(organization)}`);

/** Why it is paused, and what comes to nothing. */
function stateOf(record: WebhookRecord, now: number): Partial<Webhook> {
  const { pausedReason, pausedSince, failingSince, failedAttempts: attempts, givenUp, heldUntil } = record;
  const held = heldUntil !== null && heldUntil > now ? { heldUntil: timestamp(heldUntil) } : {};
  return {
    ...(pausedReason === null ? {} : { pausedReason }),
    ...(pausedSince === null ? {} : { pausedSince: timestamp(pausedSince) }),
    ...(failingSince === null ? {} : { failing: { attempts, givenUp, since: timestamp(failingSince), ...held } }),
  };
}

/** A webhook as its admins see it: without its secret. */
export function presentWebhook(record: WebhookRecord, urls: Urls): Webhook {
  const { id, organization, description, events, spaces, previousUntil } = record;
  const now = Date.now();
  return {
    object: 'webhook',
    id,
    url: record.url ?? '',
    ...(description === '' ? {} : { description }),
    events: (events ?? ['*']) as Webhook['events'],
    ...(spaces === null ? {} : { spaces }),
    active: record.status === 'active',
    ...stateOf(record, now),
    ...(previousUntil !== null && previousUntil > now ? { previousSecretUntil: timestamp(previousUntil) } : {}),
    createdBy: record.createdBy,
    createdAt: timestamp(record.createdAt),
    updatedAt: timestamp(record.updatedAt),
    urls: { location: urls.location(`/orgs/${organization}/webhooks/${id}`) },
  };
}
