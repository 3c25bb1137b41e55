import type { Urls } from '@octavo/runtime';
import type { Webhook } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { WebhookRecord } from './queries.ts';

/** Returns the reason of a pause, and recent failures. */
function getState(record: WebhookRecord, now: number): Partial<Webhook> {
  const { pausedReason, pausedSince, failingSince, failedAttempts: attempts, givenUp, heldUntil } = record;
  const hold = heldUntil !== null && heldUntil > now ? { heldUntil: timestamp(heldUntil) } : {};
  return {
    ...(pausedReason === null ? {} : { pausedReason }),
    ...(pausedSince === null ? {} : { pausedSince: timestamp(pausedSince) }),
    ...(failingSince === null ? {} : { failing: { attempts, givenUp, since: timestamp(failingSince), ...hold } }),
  };
}

/** Presents a webhook, without its secret. */
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
    ...getState(record, now),
    ...(previousUntil !== null && previousUntil > now ? { previousSecretUntil: timestamp(previousUntil) } : {}),
    createdBy: record.createdBy,
    createdAt: timestamp(record.createdAt),
    updatedAt: timestamp(record.updatedAt),
    urls: { location: urls.location(`/orgs/${organization}/webhooks/${id}`) },
  };
}
