import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from '../environment.ts';
import { listCommenters } from './list-commenters.ts';

export const listCommentersInSpace: Handler<typeof collaboration.listCommentersInSpace, CollaborationEnvironment> = (
  { query },
  context,
) => listCommenters(query, context);
