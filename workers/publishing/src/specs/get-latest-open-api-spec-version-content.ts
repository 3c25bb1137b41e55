import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { getLatestVersion, getVisitedVersion } from './find-version.ts';
import { streamContent } from './stream-version.ts';

/** Also for a visitor of a site that shows pages of it. */
export const getLatestOpenAPISpecVersionContent: Handler<
  typeof publishing.getLatestOpenAPISpecVersionContent,
  PublishingEnvironment
> = async ({ params }, { db, env, urls, visitor }) => {
  const found = visitor === undefined ? getLatestVersion(db, params) : getVisitedVersion(db, params, visitor);
  return streamContent(await found, env, urls);
};
