import type { Handler } from '@octavo/runtime';
import { content } from '@octavo/schema';
import type { HeadEnvironment } from '../../heads/space-head.ts';
import { editContent } from './edit-content.ts';

export const updateSpaceContent: Handler<typeof content.updateSpaceContent, HeadEnvironment> = (
  { params, body },
  context,
) => {
  const authorizeAgain = () => context.authorizeFor(content.updateSpaceContent, params);
  return editContent(body, { ...context, branch: context.space.id, authorizeAgain });
};
