import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readImport } from './present-import.ts';

export const getImportInChangeRequest: Handler<typeof content.getImportInChangeRequest, ContentEnvironment> = (
  { params },
  { db, space, changeRequest, urls },
) => readImport(db, { space: space.id, branch: changeRequest.id }, { id: params.importId, urls });
