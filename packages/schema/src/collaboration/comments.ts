import * as z from 'zod';
import { JSONDocument } from '../content/documents.ts';
import { ContentFormat } from '../content/pages.ts';
import { ReactionEmoji } from '../emoji.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list, Order, PageQuery } from '../list.ts';
import { Member } from '../org-admin/members.ts';
import { createPointEndpoints } from '../points.ts';
import { queryIds } from '../query.ts';
import { CommentSuggestion } from '../stored.ts';
import { describeMarkdownObject } from '../text.ts';
import { Timestamp } from '../time.ts';
import { User } from '../user.ts';

/** The maximum length of a comment, in bytes of UTF-8. */
export const maxCommentBytes = 65_536;

const WellFormed = z.string().refine((text) => text.isWellFormed(), 'must be valid Unicode');

export const CommentBody = z
  .object({ markdown: z.string().optional(), document: z.unknown().optional() })
  .meta({ id: 'CommentBody' });
export type CommentBody = z.infer<typeof CommentBody>;

/**
 * The body of a comment or reply in requests: up to 64 KiB of Markdown, in which `@` and a user id mention a user, or
 * the document tree of such a text.
 */
export const CommentBodyInput = z
  .object(
    { markdown: WellFormed.max(maxCommentBytes).optional(), document: JSONDocument.optional() },
    { error: describeMarkdownObject },
  )
  .refine(
    ({ markdown, document }) => (markdown === undefined) !== (document === undefined),
    'must have either markdown or document',
  )
  .meta({ id: 'CommentBodyInput' });
export type CommentBodyInput = z.infer<typeof CommentBodyInput>;

/** The optional comment of a review. Without a body, no comment is created. */
export const OptionalCommentBody = z.union([CommentBodyInput, z.strictObject({})], {
  error: describeMarkdownObject,
});
export type OptionalCommentBody = z.infer<typeof OptionalCommentBody>;

/** The users who reacted with one emoji. */
export const Reaction = z
  .object({
    emoji: z.string(),
    count: z.number().int(),
    users: z.array(z.object({ user: User, reactedAt: Timestamp })),
  })
  .meta({ id: 'Reaction' });
export type Reaction = z.infer<typeof Reaction>;

/** The maximum number of different emoji on one comment or reply. */
export const maxReactions = 50;

/** Emoji to add or remove, as characters or as code points. */
export const ReactionsInput = z.array(ReactionEmoji).max(maxReactions);

export const CommentPermissions = z
  .object({ view: z.boolean(), edit: z.boolean(), reply: z.boolean(), react: z.boolean(), delete: z.boolean() })
  .meta({ id: 'CommentPermissions' });
export type CommentPermissions = z.infer<typeof CommentPermissions>;

export const CommentStatus = z.enum(['open', 'resolved']).meta({ id: 'CommentStatus' });
export type CommentStatus = z.infer<typeof CommentStatus>;

const CommentedPage = z.object({
  id: z.string(),
  title: z.string(),
  emoji: z.string().optional(),
  icon: z.string().optional(),
  createdAt: Timestamp.optional(),
  updatedAt: Timestamp.optional(),
  path: z.string(),
});

/** The target of a comment: the whole space or change request, or a page or a node in it. */
export const CommentTarget = z
  .object({
    space: z.string(),
    revision: z.string(),
    changeRequest: z.string().optional(),
    review: z.string().optional(),
    page: CommentedPage.extend({ outdated: z.boolean() }).optional(),
    node: z.object({ id: z.string(), preview: z.string().optional() }).optional(),
  })
  .meta({ id: 'CommentTarget' });
export type CommentTarget = z.infer<typeof CommentTarget>;

/**
 * A comment. `resolvedAt` and `resolvedBy` are set only while it is resolved. An extension of the GitBook API:
 * `suggestion`.
 */
export const Comment = z
  .object({
    object: z.literal('comment'),
    id: z.string(),
    postedBy: User,
    postedAt: Timestamp,
    editedAt: Timestamp.optional(),
    reactions: z.array(Reaction),
    replies: z.number().int(),
    body: CommentBody,
    suggestion: CommentSuggestion.optional(),
    target: CommentTarget,
    urls: z.object({ location: z.string() }),
    permissions: CommentPermissions,
    status: CommentStatus,
    resolvedAt: Timestamp.optional(),
    resolvedBy: User.optional(),
  })
  .meta({ id: 'Comment' });
export type Comment = z.infer<typeof Comment>;

/** A comment in the list of an organization. Its target is as it was when the comment was posted. */
export const OrganizationComment = Comment.omit({ target: true })
  .extend({
    target: CommentTarget.extend({ page: CommentedPage.optional() }),
    space: z.object({ id: z.string(), title: z.string() }),
    changeRequest: z.object({ id: z.string(), number: z.number().int(), subject: z.string() }).optional(),
  })
  .meta({ id: 'OrganizationComment' });
export type OrganizationComment = z.infer<typeof OrganizationComment>;

export const CommentReply = z
  .object({
    object: z.literal('comment-reply'),
    id: z.string(),
    postedBy: User,
    postedAt: Timestamp,
    editedAt: Timestamp.optional(),
    reactions: z.array(Reaction),
    body: CommentBody,
    urls: z.object({ location: z.string() }),
    permissions: CommentPermissions,
  })
  .meta({ id: 'CommentReply' });
export type CommentReply = z.infer<typeof CommentReply>;

const CommentQuery = z.object({ format: ContentFormat });

const OrganizationCommentsQuery = FilteredPageQuery.extend({
  order: Order,
  status: z.enum(['all', 'open', 'resolved']).default('all'),
  format: ContentFormat,
  authors: queryIds(100),
  mention: Id.optional(),
});
const CommentsQuery = OrganizationCommentsQuery.omit({ mention: true }).extend({ targetPage: Id.optional() });

const PostComment = z.object({ node: z.string().max(256).optional(), page: Id.optional(), body: CommentBodyInput });

/** An extension of the GitBook API: a text that replaces the block when it is applied. */
const PostCommentInChangeRequest = PostComment.extend({
  suggestion: z.object({ markdown: WellFormed.max(maxCommentBytes) }).optional(),
});

/** `resolved` and reactions require the right to reply, `body` the right to edit. */
const UpdateComment = z
  .object({
    resolved: z.boolean().optional(),
    body: CommentBodyInput.optional(),
    addedReactions: ReactionsInput.optional(),
    removedReactions: ReactionsInput.optional(),
  })
  .prefault({});

const readOptions = { access: { space: 'access' }, scope: 'space:read' } as const;
const write = { access: { space: 'comment' }, scope: 'space:write' } as const;
const params = z.object({ commentId: Id });

export const commentEndpoints = createPointEndpoints({
  listComments: {
    ...readOptions,
    method: 'GET',
    path: '/comments',
    query: CommentsQuery,
    response: list(Comment),
    success: 200,
    at: {
      live: { id: 'listCommentsInSpace', summary: 'List the comments on the live content of a space' },
      changeRequest: { id: 'listCommentsInChangeRequest', summary: 'List the comments on a change request' },
    },
  },
  postComment: {
    ...write,
    method: 'POST',
    path: '/comments',
    body: PostComment,
    response: Comment,
    success: 200,
    at: {
      live: {
        id: 'postCommentInSpace',
        summary: 'Comment on the live content of a space',
      },
      changeRequest: {
        id: 'postCommentInChangeRequest',
        summary: 'Comment on a change request, or suggest a text for a block',
        body: PostCommentInChangeRequest,
      },
    },
  },
  getComment: {
    ...readOptions,
    method: 'GET',
    path: '/comments/:commentId',
    params,
    query: CommentQuery,
    response: Comment,
    success: 200,
    at: {
      live: { id: 'getCommentInSpace', summary: 'Get a comment on a space' },
      changeRequest: { id: 'getCommentInChangeRequest', summary: 'Get a comment on a change request' },
    },
  },
  updateComment: {
    ...write,
    method: 'PUT',
    path: '/comments/:commentId',
    params,
    body: UpdateComment,
    response: Comment,
    success: 200,
    errors: ['conflict'],
    at: {
      live: { id: 'updateCommentInSpace', summary: 'Edit, resolve or react to a comment on a space' },
      changeRequest: {
        id: 'updateCommentInChangeRequest',
        summary: 'Edit, resolve or react to a comment on a change request',
      },
    },
  },
  deleteComment: {
    ...write,
    method: 'DELETE',
    path: '/comments/:commentId',
    params,
    success: 205,
    at: {
      live: { id: 'deleteCommentInSpace', summary: 'Delete a comment on a space' },
      changeRequest: {
        id: 'deleteCommentInChangeRequest',
        summary: 'Delete a comment on a change request',
      },
    },
  },
});

/** An extension of the GitBook API. */
export const organizationCommentEndpoints = contract({
  listCommentsInOrganization: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/comments',
    summary: 'List the comments in an organization',
    access: { organization: 'view' },
    scope: 'space:read',
    params: z.object({ organizationId: Id }),
    query: OrganizationCommentsQuery,
    response: list(OrganizationComment),
    success: 200,
    hidesCost: 'from-members',
  },
});

const ReplyQuery = z.object({ format: ContentFormat });
const PostReply = z.object({ body: CommentBodyInput });

/** Reactions require the right to reply, `body` the right to edit. */
const UpdateReply = z
  .object({
    body: CommentBodyInput.optional(),
    addedReactions: ReactionsInput.optional(),
    removedReactions: ReactionsInput.optional(),
  })
  .prefault({});

const commentParams = z.object({ commentId: Id });
const replyParams = z.object({ commentId: Id, commentReplyId: Id });

export const replyEndpoints = createPointEndpoints({
  listCommentReplies: {
    ...readOptions,
    method: 'GET',
    path: '/comments/:commentId/replies',
    params: commentParams,
    query: PageQuery.extend({ format: ContentFormat }),
    response: list(CommentReply),
    success: 200,
    at: {
      live: { id: 'listCommentRepliesInSpace', summary: 'List the replies to a comment on a space' },
      changeRequest: {
        id: 'listCommentRepliesInChangeRequest',
        summary: 'List the replies to a comment on a change request',
      },
    },
  },
  postCommentReply: {
    ...write,
    method: 'POST',
    path: '/comments/:commentId/replies',
    params: commentParams,
    body: PostReply,
    response: CommentReply,
    success: 200,
    errors: ['conflict'],
    at: {
      live: { id: 'postCommentReplyInSpace', summary: 'Reply to a comment on a space' },
      changeRequest: {
        id: 'postCommentReplyInChangeRequest',
        summary: 'Reply to a comment on a change request',
        query: ReplyQuery,
      },
    },
  },
  getCommentReply: {
    ...readOptions,
    method: 'GET',
    path: '/comments/:commentId/replies/:commentReplyId',
    params: replyParams,
    query: ReplyQuery,
    response: CommentReply,
    success: 200,
    at: {
      live: { id: 'getCommentReplyInSpace', summary: 'Get a reply to a comment on a space' },
      changeRequest: {
        id: 'getCommentReplyInChangeRequest',
        summary: 'Get a reply to a comment on a change request',
      },
    },
  },
  updateCommentReply: {
    ...write,
    method: 'PUT',
    path: '/comments/:commentId/replies/:commentReplyId',
    params: replyParams,
    body: UpdateReply,
    response: CommentReply,
    success: 200,
    errors: ['conflict'],
    at: {
      live: { id: 'updateCommentReplyInSpace', summary: 'Edit or react to a reply on a space' },
      changeRequest: {
        id: 'updateCommentReplyInChangeRequest',
        summary: 'Edit or react to a reply on a change request',
      },
    },
  },
  deleteCommentReply: {
    ...write,
    method: 'DELETE',
    path: '/comments/:commentId/replies/:commentReplyId',
    params: replyParams,
    success: 205,
    at: {
      live: { id: 'deleteCommentReplyInSpace', summary: 'Delete a reply on a space' },
      changeRequest: {
        id: 'deleteCommentReplyInChangeRequest',
        summary: 'Delete a reply on a change request',
      },
    },
  },
});

export const commenterEndpoints = createPointEndpoints({
  listCommenters: {
    method: 'GET',
    path: '/commenters',
    access: { space: 'access' },
    scope: 'space:read',
    query: PageQuery,
    response: list(Member),
    success: 200,
    at: {
      live: {
        id: 'listCommentersInSpace',
        summary: 'List the commenters of a space',
      },
      changeRequest: {
        id: 'listCommentersInChangeRequest',
        summary: 'List the commenters of a change request',
      },
    },
  },
});
