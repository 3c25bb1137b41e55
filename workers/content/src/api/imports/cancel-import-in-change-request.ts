import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { cancel } from './cancel.ts';

export const cancelImportInChangeRequest: Handler<typeof content.cancelImportInChangeRequest, ContentEnvironment> = (
  { params },
  context,
) => cancel(context, { space: context.space.id, branch: context.changeRequest.id }, params.importId);
