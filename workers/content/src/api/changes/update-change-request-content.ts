import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import { content } from '@octavo/schema';
import type { HeadEnvironment } from '../../heads/space-head.ts';
import { editContent } from './edit-content.ts';

export const updateChangeRequestContent: Handler<typeof content.updateChangeRequestContent, HeadEnvironment> = async (
  { params, body, query },
  context,
) => {
  const { changeRequest: record, urls, authorizeFor } = context;
  const authorizeAgain = () => authorizeFor(content.updateChangeRequestContent, params);
  const { revision, ...edited } = await editContent(body, { ...context, branch: record.id, authorizeAgain });
  const changed = { ...record, head: { ...record.head, id: revision }, updatedAt: Date.now() };
  const changeRequest = presentChangeRequest(changed, urls);
  const { warnings } = edited;
  return query.compat ? { ...changeRequest, ...(warnings && { warnings }) } : { changeRequest, ...edited };
};
