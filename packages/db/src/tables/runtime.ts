import type { EventType, OrganizationId, SpaceId } from '@octavo/schema';
import { AuditOrigin, StoredEventData } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from '../selection.ts';

/** What became of requests that carry an Idempotency-Key. Times are milliseconds. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    actor: text('actor').notNull(),
    key: text('key').notNull(),
    operation: text('operation').notNull(),
    /** SHA-256 of method, path, query and body. */
    fingerprint: text('fingerprint').notNull(),
    /** The request that holds the claim. */
    request: text('request').notNull(),
    state: text('state').$type<'claimed' | 'committed' | 'lost' | 'done'>().notNull(),
    status: integer('status'),
    /** The answer, '' where it has no body, null where it is not kept. */
    body: text('body'),
    location: text('location'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.actor, table.key] })],
);

/** Every event of the platform, written in the batch of the change that it tells of. Times are milliseconds. */
export const outbox = sqliteTable('outbox', {
  id: text('id').primaryKey(),
  type: text('type').$type<EventType>().notNull(),
  organization: text('organization').$type<OrganizationId>(),
  space: text('space').$type<SpaceId>(),
  actor: text('actor').notNull(),
  requestId: text('request_id').notNull(),
  data: storedJson('data', StoredEventData).notNull(),
  createdAt: integer('created_at').notNull(),
  sentAt: integer('sent_at'),
  attempts: integer('attempts').notNull().default(0),
  doneAt: integer('done_at'),
  /** Why the last attempt failed. */
  error: text('error'),
  /** From where the request came. */
  origin: storedJson('origin', AuditOrigin),
  /** How many runs of scripts led to it, each in answer to an event of the one before. */
  depth: integer('depth').notNull().default(0),
});
