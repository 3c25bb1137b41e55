import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readImport } from './present-import.ts';

export const getImport: Handler<typeof content.getImport, ContentEnvironment> = ({ params }, { db, space, urls }) =>
  readImport(db, { space: space.id, branch: space.id }, { id: params.importId, urls });
