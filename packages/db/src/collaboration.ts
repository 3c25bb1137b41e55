import type { ChangeRequestStatus } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

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

/** Who edited a change request, and who commented on a branch. Kept by triggers on the tables that it counts. */
export const contributors = sqliteTable(
  'contributors',
  {
    branch: text('branch').notNull(),
    action: text('action').$type<'edit' | 'comment'>().notNull(),
    user: text('user').notNull(),
    space: text('space').notNull(),
    count: integer('count').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.branch, table.action, table.user] })],
);
