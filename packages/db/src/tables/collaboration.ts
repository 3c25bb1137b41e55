import type {
  BranchId,
  ChangeRequestId,
  ChangeRequestStatus,
  OrganizationId,
  ReviewStatus,
  RevisionId,
  SpaceId,
  UserId,
} from '@octavo/schema';
import { CommentSubject, CommentSuggestion } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from '../selection.ts';

export const changeRequests = sqliteTable('change_requests', {
  id: text('id').$type<ChangeRequestId>().primaryKey(),
  space: text('space').$type<SpaceId>().notNull(),
  number: integer('number').notNull(),
  subject: text('subject').notNull(),
  status: text('status').$type<ChangeRequestStatus>().notNull().default('draft'),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  revisionInitial: text('revision_initial').$type<RevisionId>().notNull(),
  comments: integer('comments').notNull().default(0),
  description: text('description').notNull().default(''),
  /** The organization of the space, updated when the space is transferred. */
  organization: text('organization').$type<OrganizationId>().notNull().default(''),
  /** Incremented by triggers when reviews or requested reviewers change. */
  stamp: integer('stamp').notNull().default(0),
  /** The seq of the branch's last revision that is not of type `update`; 0 if there is none. */
  editedSeq: integer('edited_seq').notNull().default(0),
});

/** All submitted reviews. A review is outdated if it is superseded, or if `edited_seq` is greater than `seq`. */
export const reviews = sqliteTable('reviews', {
  id: text('id').primaryKey(),
  space: text('space').$type<SpaceId>().notNull(),
  changeRequest: text('change_request').$type<ChangeRequestId>().notNull(),
  revision: text('revision').$type<RevisionId>().notNull(),
  /** The seq of `revision` on the change request's branch; 0 if it is a revision of the live content. */
  seq: integer('seq').notNull(),
  reviewer: text('reviewer').$type<UserId>().notNull(),
  requestedBy: text('requested_by').$type<UserId>(),
  status: text('status').$type<ReviewStatus>().notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  /** The time when the reviewer reviewed again or was asked again. */
  supersededAt: integer('superseded_at'),
});

/** Users and teams that were asked to review and have not done so yet. */
export const requestedReviewers = sqliteTable(
  'requested_reviewers',
  {
    changeRequest: text('change_request').$type<ChangeRequestId>().notNull(),
    kind: text('kind').$type<'user' | 'team'>().notNull(),
    /** The id of the user or the team. */
    subject: text('subject').notNull(),
    space: text('space').$type<SpaceId>().notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    revision: text('revision').$type<RevisionId>().notNull(),
    requestedBy: text('requested_by').$type<UserId>().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.changeRequest, table.kind, table.subject] })],
);

/** Counters of a space, maintained by triggers on the counted tables. */
export const spaceCounters = sqliteTable('space_counters', {
  space: text('space').$type<SpaceId>().primaryKey(),
  comments: integer('comments').notNull().default(0),
  changeRequests: integer('change_requests').notNull().default(0),
  changeRequestsOpen: integer('change_requests_open').notNull().default(0),
  changeRequestsDraft: integer('change_requests_draft').notNull().default(0),
});

/** Users who edited a change request or commented on a branch. Triggers on comments count the comments. */
export const contributors = sqliteTable(
  'contributors',
  {
    branch: text('branch').$type<BranchId>().notNull(),
    action: text('action').$type<'edit' | 'comment'>().notNull(),
    user: text('user').$type<UserId>().notNull(),
    space: text('space').$type<SpaceId>().notNull(),
    count: integer('count').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.branch, table.action, table.user] })],
);

/** Comments on a branch: the live content (the id of the space) or a change request. Triggers maintain `replies`. */
export const comments = sqliteTable('comments', {
  id: text('id').primaryKey(),
  space: text('space').$type<SpaceId>().notNull(),
  branch: text('branch').$type<BranchId>().notNull(),
  /** The page and the node that the comment is about, and the page's document at that time. */
  page: text('page'),
  node: text('node'),
  document: text('document'),
  /** The visible text of the page and the node at that time. */
  about: storedJson('about', CommentSubject),
  review: text('review'),
  /** The revision on which the comment was posted. */
  revision: text('revision').$type<RevisionId>().notNull(),
  author: text('author').$type<UserId>().notNull(),
  body: text('body').notNull(),
  createdAt: integer('created_at').notNull(),
  editedAt: integer('edited_at'),
  resolvedAt: integer('resolved_at'),
  resolvedBy: text('resolved_by'),
  replies: integer('replies').notNull().default(0),
  /** The organization of the space, updated when the space is transferred. */
  organization: text('organization').$type<OrganizationId>().notNull().default(''),
  suggestion: storedJson('suggestion', CommentSuggestion),
});

export const commentReplies = sqliteTable('comment_replies', {
  id: text('id').primaryKey(),
  comment: text('comment').notNull(),
  space: text('space').$type<SpaceId>().notNull(),
  branch: text('branch').$type<BranchId>().notNull(),
  author: text('author').$type<UserId>().notNull(),
  body: text('body').notNull(),
  createdAt: integer('created_at').notNull(),
  editedAt: integer('edited_at'),
});

/** Reactions to comments and replies. `object` is the id of the comment or the reply. */
export const reactions = sqliteTable(
  'reactions',
  {
    object: text('object').notNull(),
    emoji: text('emoji').notNull(),
    user: text('user').$type<UserId>().notNull(),
    space: text('space').$type<SpaceId>().notNull(),
    reactedAt: integer('reacted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.object, table.emoji, table.user] })],
);

/** Reaction counters, maintained by triggers on `reactions`. */
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
