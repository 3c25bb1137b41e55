import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { readFileById } from '../../engine/reading/read-files.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const getFileById: Handler<typeof content.getFileById, ContentEnvironment> = (
  { params, query },
  { env, db, space, point, urls },
) => readFileById(params.fileId, { db, point, query, to: { env, urls, place: { space: space.id, branch: space.id } } });
