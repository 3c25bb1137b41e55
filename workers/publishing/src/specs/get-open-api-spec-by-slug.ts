import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { getSpec } from './find-spec.ts';
import { presentSpec } from './present-spec.ts';

export const getOpenAPISpecBySlug: Handler<typeof publishing.getOpenAPISpecBySlug, PublishingEnvironment> = async (
  { params },
  context,
) => presentSpec(await getSpec(context.db, params), context);
