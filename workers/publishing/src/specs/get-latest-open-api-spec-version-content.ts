import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { getLatestVersion } from './find-version.ts';
import { streamContent } from './stream-version.ts';

/** Also for a visitor of a site: it takes no more than the path. */
export const getLatestOpenAPISpecVersionContent: Handler<
  typeof publishing.getLatestOpenAPISpecVersionContent,
  PublishingEnvironment
> = async ({ params }, { db, env, urls }) => streamContent(await getLatestVersion(db, params), env, urls);
