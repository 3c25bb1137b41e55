import { readRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { notFound, timestamp } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { adaptiveSchemaOf } from './find-adaptive-schema.ts';

export const getSiteAdaptiveSchema: Handler<typeof publishing.getSiteAdaptiveSchema, PublishingEnvironment> = async (
  _,
  { db, site },
) => {
  const found = await readRow(db, adaptiveSchemaOf(site.id));
  if (found === undefined) throw notFound('adaptive schema');
  return { object: 'site-adaptive-schema', jsonSchema: found.jsonSchema, updatedAt: timestamp(found.updatedAt) };
};
