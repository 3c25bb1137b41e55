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

/** Whom events go to: a webhook of an organization, or an installation by its integration's webhook or by its script. */
type SubscriptionKind = 'webhook' | 'installation_webhook' | 'installation_script';

/**
 * `leaving`: it was made when its installation ended, to hear of that alone, which is still to be handed over; `draining`:
 * it gets what waits and nothing more; `ended`: nothing refers to it, and it goes part by part, also what waits.
 */
export type SubscriptionStatus = 'active' | 'paused' | 'leaving' | 'draining' | 'ended';

/** Who events are sent to. Times are milliseconds. */
export const subscriptions = sqliteTable('subscriptions', {
  id: text('id').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  kind: text('kind').$type<SubscriptionKind>().notNull(),
  installation: text('installation'),
  integration: text('integration'),
  /** The account of the integration that was installed: its name may be another owner's by now. */
  integrationAccount: text('integration_account').$type<UserId>(),
  status: text('status').$type<SubscriptionStatus>().notNull().default('active'),
  url: text('url'),
  description: text('description').notNull().default(''),
  events: storedJson('events', SubscribedEvents),
  spaces: storedJson('spaces', SubscribedSpaces),
  /** Sealed for `sealedFor`. */
  secret: text('secret'),
  previousSecret: text('previous_secret'),
  sealedFor: text('sealed_for').notNull(),
  previousUntil: integer('previous_until'),
  /** Attempts that failed one after the other. */
  failures: integer('failures').notNull().default(0),
  /** Since when nothing was delivered, with the attempts since that failed or were refused, and the deliveries given up. */
  failingSince: integer('failing_since'),
  failedAttempts: integer('failed_attempts').notNull().default(0),
  givenUp: integer('given_up').notNull().default(0),
  /** Of a webhook that is paused. */
  pausedReason: text('paused_reason').$type<PausedReason>(),
  pausedSince: integer('paused_since'),
  /** Nothing is sent until then. */
  heldUntil: integer('held_until'),
  /** When it is to be looked after. */
  wakeAt: integer('wake_at'),
  /** Who sends now. */
  lease: text('lease'),
  /** Counts what whoever sends now does not know of: another address, secret or status. */
  generation: integer('generation').notNull().default(0),
  /** Deliveries that are not settled: a trigger counts them. */
  waiting: integer('waiting').notNull().default(0),
  /** When its deliveries go, once it is paused or has ended. */
  cleanAt: integer('clean_at'),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** Events that are not yet handed to the subscriptions of their organization. A trigger of the outbox writes it. */
export const feed = sqliteTable('feed', {
  seq: integer('seq').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  event: text('event').notNull(),
});

/** What subscriptions were up to a place in the feed, as long as that has events from then. Triggers write it. */
export const formerStatuses = sqliteTable(
  'former_statuses',
  {
    subscription: text('subscription').notNull(),
    seq: integer('seq').notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    /** Of the installation, where it is one's. */
    status: text('status').$type<SubscriptionStatus | InstallationStatus>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.subscription, table.seq] })],
);

/** An event for a subscription. Of those of an object the first alone is due at a time. */
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
    /** Attempts since it was asked for, first or once more. */
    tries: integer('tries').notNull().default(0),
    retryUntil: integer('retry_until'),
    answered: integer('answered'),
    error: text('error'),
    /** How often it was asked for once more. */
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
