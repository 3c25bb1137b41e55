import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { getLatestVersion } from './find-version.ts';
import { streamRaw } from './stream-version.ts';

export const getLatestOpenAPISpecVersionContentRaw: Handler<
  typeof publishing.getLatestOpenAPISpecVersionContentRaw,
  PublishingEnvironment
> = async ({ params }, { db, env }) => streamRaw(await getLatestVersion(db, params), env);
