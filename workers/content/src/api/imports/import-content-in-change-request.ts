import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import type { HeadEnvironment } from '../../heads/head-of.ts';
import { startImport } from './start-import.ts';

export const importContentInChangeRequest: Handler<typeof content.importContentInChangeRequest, HeadEnvironment> = (
  { body },
  context,
) => {
  const { space, changeRequest } = context;
  if (changeRequest.status === 'merged' || changeRequest.status === 'archived')
    throw conflict(`The change request is ${changeRequest.status} and cannot be edited.`);
  return startImport(context, { ...body, space, branch: changeRequest.id, point: changeRequest.head });
};
