import { listCommentersInChangeRequest } from './list-commenters-in-change-request.ts';
import { listCommentersInSpace } from './list-commenters-in-space.ts';

export const commenterHandlers = {
  listCommentersInSpace,
  listCommentersInChangeRequest,
};
