import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { getVersion } from './find-version.ts';
import { presentVersion } from './present-spec.ts';

export const getOpenAPISpecVersionById: Handler<
  typeof publishing.getOpenAPISpecVersionById,
  PublishingEnvironment
> = async ({ params }, { db, urls }) => {
  const { spec, version } = await getVersion(db, params);
  return presentVersion(spec, version, urls);
};
