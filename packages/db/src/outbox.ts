import type { EventType } from '@octavo/schema';
import { AuditOrigin, StoredEventData } from '@octavo/schema';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from './stored-json.ts';

/** Every event of the platform, written in the batch of the change that it tells of. Times are milliseconds. */
export const outbox = sqliteTable('outbox', {
  id: text('id').primaryKey(),
  type: text('type').$type<EventType>().notNull(),
  organization: text('organization'),
  space: text('space'),
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
});
