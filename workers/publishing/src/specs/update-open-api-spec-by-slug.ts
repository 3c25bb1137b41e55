import { openapiSpecs } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { getSpec } from './find-spec.ts';
import { presentSpec } from './present-spec.ts';
import { writeSpec } from './write-spec.ts';

export const updateOpenAPISpecBySlug: Handler<
  typeof publishing.updateOpenAPISpecBySlug,
  PublishingEnvironment
> = async ({ params, body: { visibility } }, context) => {
  const { db } = context;
  const spec = await getSpec(db, params);
  if (spec.visibility === visibility) return presentSpec(spec, context);
  const changed = { visibility, updatedAt: Date.now() };
  const update = db.update(openapiSpecs).set(changed).where(sql`id = ${spec.id}`);
  await writeSpec(spec, 'openapi_spec.updated', [update], context);
  return presentSpec({ ...spec, ...changed }, context);
};
