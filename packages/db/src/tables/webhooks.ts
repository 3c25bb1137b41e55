import type {
  DeliveryId,
  DeliveryStatus,
  EventType,
  InstallationStatus,
  OrganizationId,
  PausedReason,
  UserId,
} from '@octavo/schema';
import { SubscribedEvents, SubscribedSpaces } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from '../selection.ts';

/** The kind of receiver: a webhook of an organization, or an installation by its integration's webhook or script. */
type SubscriptionKind = 'webhook' | 'installation_webhook' | 'installation_script';

/**
 * The status of a subscription. `leaving`: created when its installation ended, to deliver only that event, which has
 * not been dispatched yet; `draining`: delivers pending events and receives no new ones; `ended`: unreferenced, and
 * deleted in batches with its pending deliveries.
 */
export type SubscriptionStatus = 'active' | 'paused' | 'leaving' | 'draining' | 'ended';

/** The receivers of events. Times are in milliseconds. */
export const subscriptions = sqliteTable('subscriptions', {
  id: text('id').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  kind: text('kind').$type<SubscriptionKind>().notNull(),
  installation: text('installation'),
  integration: text('integration'),
  /** The account of the installed integration, because another owner can have taken over its name. */
  integrationAccount: text('integration_account').$type<UserId>(),
  status: text('status').$type<SubscriptionStatus>().notNull().default('active'),
  url: text('url'),
  description: text('description').notNull().default(''),
  events: storedJson('events', SubscribedEvents),
  spaces: storedJson('spaces', SubscribedSpaces),
  /** Encrypted for `sealedFor`. */
  secret: text('secret'),
  previousSecret: text('previous_secret'),
  sealedFor: text('sealed_for').notNull(),
  previousUntil: integer('previous_until'),
  /** Consecutive failed attempts. */
  failures: integer('failures').notNull().default(0),
  /**
   * The start of the current failures, with the attempts that failed or were refused and the deliveries that were
   * abandoned since then.
   */
  failingSince: integer('failing_since'),
  failedAttempts: integer('failed_attempts').notNull().default(0),
  givenUp: integer('given_up').notNull().default(0),
  /** The reason for the pause of a webhook, and its start. */
  pausedReason: text('paused_reason').$type<PausedReason>(),
  pausedSince: integer('paused_since'),
  /** The time before which nothing is sent. */
  heldUntil: integer('held_until'),
  /** The time when the sweep handles the subscription. */
  wakeAt: integer('wake_at'),
  /** The worker that is sending. */
  lease: text('lease'),
  /** Incremented when the URL, secret or status changes, which the current sender does not know yet. */
  generation: integer('generation').notNull().default(0),
  /** The number of pending deliveries, maintained by triggers. */
  waiting: integer('waiting').notNull().default(0),
  /** The time when deliveries of a paused or ended subscription are deleted. */
  cleanAt: integer('clean_at'),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/**
 * Events that have not been dispatched to the subscriptions of their organization yet. Written by a trigger on the
 * outbox.
 */
export const feed = sqliteTable('feed', {
  seq: integer('seq').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  event: text('event').notNull(),
});

/**
 * Former statuses of subscriptions up to a position in the feed, stored while the feed has events from before that
 * position. Written by triggers.
 */
export const formerStatuses = sqliteTable(
  'former_statuses',
  {
    subscription: text('subscription').notNull(),
    seq: integer('seq').notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    /** The status of the installation, for the row of an installation. */
    status: text('status').$type<SubscriptionStatus | InstallationStatus>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.subscription, table.seq] })],
);

/** Deliveries of events to subscriptions. Of the pending deliveries for one object, only the first is due. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    subscription: text('subscription').notNull(),
    seq: integer('seq').notNull(),
    id: text('id').$type<DeliveryId>().notNull(),
    event: text('event').notNull(),
    type: text('type').$type<EventType>().notNull(),
    object: text('object').notNull(),
    status: text('status').$type<DeliveryStatus>().notNull().default('pending'),
    dueAt: integer('due_at'),
    attempts: integer('attempts').notNull().default(0),
    /** Attempts since the event or the last redelivery request. */
    tries: integer('tries').notNull().default(0),
    retryUntil: integer('retry_until'),
    answered: integer('answered'),
    error: text('error'),
    /** The number of redelivery requests. */
    redeliveries: integer('redeliveries').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    settledAt: integer('settled_at'),
  },
  (table) => [primaryKey({ columns: [table.subscription, table.seq] })],
);

export const deliveryAttempts = sqliteTable(
  'delivery_attempts',
  {
    delivery: text('delivery').$type<DeliveryId>().notNull(),
    number: integer('number').notNull(),
    at: integer('at').notNull(),
    milliseconds: integer('milliseconds').notNull(),
    status: integer('status'),
    error: text('error'),
    answer: text('answer'),
  },
  (table) => [primaryKey({ columns: [table.delivery, table.number] })],
);
