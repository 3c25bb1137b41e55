import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { getLatestVersion } from './find-version.ts';
import { presentVersion } from './present-spec.ts';

export const getLatestOpenAPISpecVersion: Handler<
  typeof publishing.getLatestOpenAPISpecVersion,
  PublishingEnvironment
> = async ({ params }, { db, urls }) => {
  const { spec, version } = await getLatestVersion(db, params);
  return presentVersion(spec, version, urls);
};
