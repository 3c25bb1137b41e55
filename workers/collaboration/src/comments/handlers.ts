import { deleteCommentInChangeRequest } from './delete-comment-in-change-request.ts';
import { deleteCommentInSpace } from './delete-comment-in-space.ts';
import { getCommentInChangeRequest } from './get-comment-in-change-request.ts';
import { getCommentInSpace } from './get-comment-in-space.ts';
import { listCommentsInChangeRequest } from './list-comments-in-change-request.ts';
import { listCommentsInSpace } from './list-comments-in-space.ts';
import { postCommentInChangeRequest } from './post-comment-in-change-request.ts';
import { postCommentInSpace } from './post-comment-in-space.ts';
import { updateCommentInChangeRequest } from './update-comment-in-change-request.ts';
import { updateCommentInSpace } from './update-comment-in-space.ts';

export const commentHandlers = {
  listCommentsInSpace,
  postCommentInSpace,
  getCommentInSpace,
  updateCommentInSpace,
  deleteCommentInSpace,
  listCommentsInChangeRequest,
  postCommentInChangeRequest,
  getCommentInChangeRequest,
  updateCommentInChangeRequest,
  deleteCommentInChangeRequest,
};
