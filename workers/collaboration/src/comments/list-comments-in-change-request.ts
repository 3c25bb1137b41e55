import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { listComments } from './list-comments.ts';

export const listCommentsInChangeRequest: Handler<
  typeof collaboration.listCommentsInChangeRequest,
  CollaborationEnvironment
> = ({ query }, context) => listComments(query, context);
