import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { preconditionFailed } from '@octavo/schema';
import type { HeadEnvironment } from '../../heads/head-of.ts';
import { startImport } from './start-import.ts';

export const importContent: Handler<typeof content.importContent, HeadEnvironment> = ({ body }, context) => {
  const { space, point } = context;
  if (space.editMode === 'locked')
    throw preconditionFailed('Live edits of this space are locked: import into a change request.');
  return startImport(context, { ...body, space, branch: space.id, point });
};
