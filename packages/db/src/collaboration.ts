import type { ChangeRequestStatus, TargetPage } from '@octavo/schema';
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

/** The page that a comment is about, as it was when it was posted, and the beginning of the block. */
export interface CommentSubject {
  page: TargetPage;
  preview?: string | undefined;
}

/** Comments on a branch: the space's id for its live content, else a change request. `replies` is kept by triggers. */
export const comments = sqliteTable('comments', {
  id: text('id').primaryKey(),
  space: text('space').notNull(),
  branch: text('branch').notNull(),
  /** The page and the node that it is about, and the page's document as it was then. */
  page: text('page'),
  node: text('node'),
  document: text('document'),
  /** What was shown of them then. */
  about: text('about', { mode: 'json' }).$type<CommentSubject>(),
  review: text('review'),
  /** The revision that it was posted on. */
  revision: text('revision').notNull(),
  author: text('author').notNull(),
  body: text('body').notNull(),
  createdAt: integer('created_at').notNull(),
  editedAt: integer('edited_at'),
  resolvedAt: integer('resolved_at'),
  resolvedBy: text('resolved_by'),
  replies: integer('replies').notNull().default(0),
});

export const commentReplies = sqliteTable('comment_replies', {
  id: text('id').primaryKey(),
  comment: text('comment').notNull(),
  space: text('space').notNull(),
  branch: text('branch').notNull(),
  author: text('author').notNull(),
  body: text('body').notNull(),
  createdAt: integer('created_at').notNull(),
  editedAt: integer('edited_at'),
});

/** `object` is a comment or a reply. */
export const reactions = sqliteTable(
  'reactions',
  {
    object: text('object').notNull(),
    emoji: text('emoji').notNull(),
    user: text('user').notNull(),
    space: text('space').notNull(),
    reactedAt: integer('reacted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.object, table.emoji, table.user] })],
);

/** Kept by triggers on `reactions`. */
export const reactionCounts = sqliteTable(
  'reaction_counts',
  {
    object: text('object').notNull(),
    emoji: text('emoji').notNull(),
    count: integer('count').notNull(),
    firstAt: integer('first_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.object, table.emoji] })],
);
