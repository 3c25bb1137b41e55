import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { getVersion } from './find-version.ts';
import { streamContent } from './stream-version.ts';

export const getOpenAPISpecVersionContentById: Handler<
  typeof publishing.getOpenAPISpecVersionContentById,
  PublishingEnvironment
> = async ({ params }, { db, env, urls }) => streamContent(await getVersion(db, params), env, urls);
