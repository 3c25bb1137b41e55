import * as z from 'zod';
import { ContentFormat } from '../content/pages.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list, Order } from '../list.ts';
import { queryIds } from '../query.ts';
import { Comment, CommentBodyInput, ReactionsInput } from './comment.ts';

export * from './comment.ts';

const CommentQuery = z.object({ format: ContentFormat });

const CommentsQuery = FilteredPageQuery.extend({
  order: Order,
  status: z.enum(['all', 'open', 'resolved']).default('all'),
  format: ContentFormat,
  targetPage: Id.optional(),
  authors: queryIds(100),
});

const PostComment = z.object({ node: z.string().max(256).optional(), page: Id.optional(), body: CommentBodyInput });

/** `resolved` and reactions need the right to reply, `body` the right to edit. */
const UpdateComment = z
  .object({
    resolved: z.boolean().optional(),
    body: CommentBodyInput.optional(),
    addedReactions: ReactionsInput.optional(),
    removedReactions: ReactionsInput.optional(),
  })
  .prefault({});

const read = { access: { space: 'access' }, scope: 'space:read' } as const;
const write = { access: { space: 'comment' }, scope: 'space:write' } as const;

const spaceParams = z.object({ spaceId: Id });
const changeRequestParams = z.object({ spaceId: Id, changeRequestId: Id });
const commentParam = { commentId: Id };

export const commentEndpoints = contract({
  listCommentsInSpace: {
    ...read,
    method: 'GET',
    path: '/v1/spaces/:spaceId/comments',
    summary: 'List the comments on the live content of a space',
    params: spaceParams,
    query: CommentsQuery,
    response: list(Comment),
    success: 200,
  },
  postCommentInSpace: {
    ...write,
    method: 'POST',
    path: '/v1/spaces/:spaceId/comments',
    summary: 'Comment on a space, on a page or on a node of its live content',
    params: spaceParams,
    body: PostComment,
    response: Comment,
    success: 200,
  },
  getCommentInSpace: {
    ...read,
    method: 'GET',
    path: '/v1/spaces/:spaceId/comments/:commentId',
    summary: 'Get a comment on a space',
    params: spaceParams.extend(commentParam),
    query: CommentQuery,
    response: Comment,
    success: 200,
  },
  updateCommentInSpace: {
    ...write,
    method: 'PUT',
    path: '/v1/spaces/:spaceId/comments/:commentId',
    summary: 'Edit, resolve, reopen or react to a comment on a space',
    params: spaceParams.extend(commentParam),
    body: UpdateComment,
    response: Comment,
    success: 200,
    errors: ['conflict'],
  },
  deleteCommentInSpace: {
    ...write,
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/comments/:commentId',
    summary: 'Delete a comment on a space, with its replies',
    params: spaceParams.extend(commentParam),
    success: 205,
  },
  listCommentsInChangeRequest: {
    ...read,
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/comments',
    summary: 'List the comments on a change request',
    params: changeRequestParams,
    query: CommentsQuery,
    response: list(Comment),
    success: 200,
  },
  postCommentInChangeRequest: {
    ...write,
    method: 'POST',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/comments',
    summary: 'Comment on a change request, on a page or on a node of it',
    params: changeRequestParams,
    body: PostComment,
    response: Comment,
    success: 200,
  },
  getCommentInChangeRequest: {
    ...read,
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId',
    summary: 'Get a comment on a change request',
    params: changeRequestParams.extend(commentParam),
    query: CommentQuery,
    response: Comment,
    success: 200,
  },
  updateCommentInChangeRequest: {
    ...write,
    method: 'PUT',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId',
    summary: 'Edit, resolve, reopen or react to a comment on a change request',
    params: changeRequestParams.extend(commentParam),
    body: UpdateComment,
    response: Comment,
    success: 200,
    errors: ['conflict'],
  },
  deleteCommentInChangeRequest: {
    ...write,
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId',
    summary: 'Delete a comment on a change request, with its replies',
    params: changeRequestParams.extend(commentParam),
    success: 205,
  },
});
