import { deleteCommentReplyInChangeRequest } from './delete-comment-reply-in-change-request.ts';
import { deleteCommentReplyInSpace } from './delete-comment-reply-in-space.ts';
import { getCommentReplyInChangeRequest } from './get-comment-reply-in-change-request.ts';
import { getCommentReplyInSpace } from './get-comment-reply-in-space.ts';
import { listCommentRepliesInChangeRequest } from './list-comment-replies-in-change-request.ts';
import { listCommentRepliesInSpace } from './list-comment-replies-in-space.ts';
import { postCommentReplyInChangeRequest } from './post-comment-reply-in-change-request.ts';
import { postCommentReplyInSpace } from './post-comment-reply-in-space.ts';
import { updateCommentReplyInChangeRequest } from './update-comment-reply-in-change-request.ts';
import { updateCommentReplyInSpace } from './update-comment-reply-in-space.ts';

export const replyHandlers = {
  listCommentRepliesInSpace,
  postCommentReplyInSpace,
  getCommentReplyInSpace,
  updateCommentReplyInSpace,
  deleteCommentReplyInSpace,
  listCommentRepliesInChangeRequest,
  postCommentReplyInChangeRequest,
  getCommentReplyInChangeRequest,
  updateCommentReplyInChangeRequest,
  deleteCommentReplyInChangeRequest,
};
