import { readRow } from '@octavo/db';
import { templateConditions } from '@octavo/expression';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { adaptiveSchemaOf } from './find-adaptive-schema.ts';

export const listSiteAdaptiveTemplateConditions: Handler<
  typeof publishing.listSiteAdaptiveTemplateConditions,
  PublishingEnvironment
> = async (_, { db, site }) => ({
  items: templateConditions((await readRow(db, adaptiveSchemaOf(site.id)))?.jsonSchema),
});
