import * as z from 'zod';
import { ContentFormat } from '../content/pages.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { atEveryPoint } from '../points.ts';
import { CommentBodyInput, CommentReply, ReactionsInput } from './comment.ts';

const ReplyQuery = z.object({ format: ContentFormat });
const PostReply = z.object({ body: CommentBodyInput });

/** Reactions need the right to reply, `body` the right to edit. */
const UpdateReply = z
  .object({
    body: CommentBodyInput.optional(),
    addedReactions: ReactionsInput.optional(),
    removedReactions: ReactionsInput.optional(),
  })
  .prefault({});

const read = { access: { space: 'access' }, scope: 'space:read' } as const;
const write = { access: { space: 'comment' }, scope: 'space:write' } as const;
const commentParams = z.object({ commentId: Id });
const replyParams = z.object({ commentId: Id, commentReplyId: Id });

export const replyEndpoints = atEveryPoint({
  listCommentReplies: {
    ...read,
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
    ...read,
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
