import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { listCommenters } from './list-commenters.ts';

export const listCommentersInChangeRequest: Handler<
  typeof collaboration.listCommentersInChangeRequest,
  CollaborationEnvironment
> = ({ query }, context) => listCommenters(query, context);
