import type { ChangeRequestStatus } from '@octavo/schema';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const changeRequests = sqliteTable('change_requests', {
  id: text('id').primaryKey(),
  space: text('space').notNull(),
  number: integer('number').notNull(),
  subject: text('subject').notNull(),
  status: text('status').$type<ChangeRequestStatus>().notNull().default('draft'),
  createdBy: text('created_by').notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  revisionInitial: text('revision_initial').notNull(),
  comments: integer('comments').notNull().default(0),
});

/** Kept by triggers on the tables that it counts. */
export const spaceCounters = sqliteTable('space_counters', {
  space: text('space').primaryKey(),
  comments: integer('comments').notNull().default(0),
  changeRequests: integer('change_requests').notNull().default(0),
  changeRequestsOpen: integer('change_requests_open').notNull().default(0),
  changeRequestsDraft: integer('change_requests_draft').notNull().default(0),
});
