import type { Urls } from '@octavo/runtime';
import type { Webhook } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import type { WebhookRecord } from './queries.ts';

/** Returns the reason of a pause, and recent failures. */
function getState(record: WebhookRecord, now: number): Partial<Webhook> {
  const { pausedReason, pausedSince, failingSince, failedAttempts: attempts, givenUp, heldUntil } = record;
  const hold = heldUntil !== null && heldUntil > now ? { heldUntil: formatTimestamp(heldUntil) } : {};
  return {
    ...(pausedReason === null ? {} : { pausedReason }),
    ...(pausedSince === null ? {} : { pausedSince: formatTimestamp(pausedSince) }),
    ...(failingSince === null ? {} : { failing: { attempts, givenUp, since: formatTimestamp(failingSince), ...hold } }),
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
    ...(previousUntil !== null && previousUntil > now ? { previousSecretUntil: formatTimestamp(previousUntil) } : {}),
    createdBy: record.createdBy,
    createdAt: formatTimestamp(record.createdAt),
    updatedAt: formatTimestamp(record.updatedAt),
    urls: { location: urls.location(`/orgs/${organization}/webhooks/${id}`) },
  };
}
