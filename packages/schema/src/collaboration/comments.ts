import * as z from 'zod';
import { ContentFormat } from '../content/pages.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list, Order } from '../list.ts';
import { atEveryPoint } from '../points.ts';
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
const params = z.object({ commentId: Id });

export const commentEndpoints = atEveryPoint({
  listComments: {
    ...read,
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
        summary: 'Comment on a space, on a page or on a node of its live content',
      },
      changeRequest: {
        id: 'postCommentInChangeRequest',
        summary: 'Comment on a change request, on a page or on a node of it',
      },
    },
  },
  getComment: {
    ...read,
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
      live: { id: 'updateCommentInSpace', summary: 'Edit, resolve, reopen or react to a comment on a space' },
      changeRequest: {
        id: 'updateCommentInChangeRequest',
        summary: 'Edit, resolve, reopen or react to a comment on a change request',
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
      live: { id: 'deleteCommentInSpace', summary: 'Delete a comment on a space, with its replies' },
      changeRequest: {
        id: 'deleteCommentInChangeRequest',
        summary: 'Delete a comment on a change request, with its replies',
      },
    },
  },
});
