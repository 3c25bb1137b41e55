import type { EventType, OrganizationId, SpaceId } from '@octavo/schema';
import { AuditOrigin, StoredEventData } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from '../selection.ts';

/** Requests with an Idempotency-Key and their results. Times are in milliseconds. */
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
    /** The response body; empty if the response has no body, null if the body is not stored. */
    body: text('body'),
    location: text('location'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.actor, table.key] })],
);

/** All events, written in the batch of the change that causes them. Times are in milliseconds. */
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
  /** Number of failed runs. */
  attempts: integer('attempts').notNull().default(0),
  /** Number of runs that began and have not ended. If the event is not running, these runs were interrupted. */
  interruptions: integer('interruptions').notNull().default(0),
  doneAt: integer('done_at'),
  /** The error of the last attempt. */
  error: text('error'),
  /** The origin of the request. */
  origin: storedJson('origin', AuditOrigin),
  /** The number of script runs that led to the event: each run was triggered by an event of the previous run. */
  depth: integer('depth').notNull().default(0),
});

/** The last run of each cron. Times are in milliseconds. */
export const cronRuns = sqliteTable(
  'cron_runs',
  {
    worker: text('worker').notNull(),
    cron: text('cron').notNull(),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at').notNull(),
    /** The number of tasks that failed. */
    failed: integer('failed').notNull(),
  },
  (table) => [primaryKey({ columns: [table.worker, table.cron] })],
);
