import * as z from 'zod';
import { ContentFormat } from '../content/pages.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
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

const spaceParams = z.object({ spaceId: Id, commentId: Id });
const changeRequestParams = z.object({ spaceId: Id, changeRequestId: Id, commentId: Id });
const replyParam = { commentReplyId: Id };

export const replyEndpoints = contract({
  listCommentRepliesInSpace: {
    ...read,
    method: 'GET',
    path: '/v1/spaces/:spaceId/comments/:commentId/replies',
    summary: 'List the replies to a comment on a space',
    params: spaceParams,
    query: PageQuery.extend({ format: ContentFormat }),
    response: list(CommentReply),
    success: 200,
  },
  postCommentReplyInSpace: {
    ...write,
    method: 'POST',
    path: '/v1/spaces/:spaceId/comments/:commentId/replies',
    summary: 'Reply to a comment on a space',
    params: spaceParams,
    body: PostReply,
    response: CommentReply,
    success: 200,
    errors: ['conflict'],
  },
  getCommentReplyInSpace: {
    ...read,
    method: 'GET',
    path: '/v1/spaces/:spaceId/comments/:commentId/replies/:commentReplyId',
    summary: 'Get a reply to a comment on a space',
    params: spaceParams.extend(replyParam),
    query: ReplyQuery,
    response: CommentReply,
    success: 200,
  },
  updateCommentReplyInSpace: {
    ...write,
    method: 'PUT',
    path: '/v1/spaces/:spaceId/comments/:commentId/replies/:commentReplyId',
    summary: 'Edit or react to a reply on a space',
    params: spaceParams.extend(replyParam),
    body: UpdateReply,
    response: CommentReply,
    success: 200,
    errors: ['conflict'],
  },
  deleteCommentReplyInSpace: {
    ...write,
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/comments/:commentId/replies/:commentReplyId',
    summary: 'Delete a reply on a space',
    params: spaceParams.extend(replyParam),
    success: 205,
  },
  listCommentRepliesInChangeRequest: {
    ...read,
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies',
    summary: 'List the replies to a comment on a change request',
    params: changeRequestParams,
    query: PageQuery.extend({ format: ContentFormat }),
    response: list(CommentReply),
    success: 200,
  },
  postCommentReplyInChangeRequest: {
    ...write,
    method: 'POST',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies',
    summary: 'Reply to a comment on a change request',
    params: changeRequestParams,
    query: ReplyQuery,
    body: PostReply,
    response: CommentReply,
    success: 200,
    errors: ['conflict'],
  },
  getCommentReplyInChangeRequest: {
    ...read,
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies/:commentReplyId',
    summary: 'Get a reply to a comment on a change request',
    params: changeRequestParams.extend(replyParam),
    query: ReplyQuery,
    response: CommentReply,
    success: 200,
  },
  updateCommentReplyInChangeRequest: {
    ...write,
    method: 'PUT',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies/:commentReplyId',
    summary: 'Edit or react to a reply on a change request',
    params: changeRequestParams.extend(replyParam),
    body: UpdateReply,
    response: CommentReply,
    success: 200,
    errors: ['conflict'],
  },
  deleteCommentReplyInChangeRequest: {
    ...write,
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies/:commentReplyId',
    summary: 'Delete a reply on a change request',
    params: changeRequestParams.extend(replyParam),
    success: 205,
  },
});
