import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { readFiles } from '../../engine/reading/read-files.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const listFiles: Handler<typeof content.listFiles, ContentEnvironment> = (
  { query },
  { env, db, space, point, urls },
) => readFiles({ db, point, query, to: { env, urls, place: { space: space.id, branch: space.id } } });
