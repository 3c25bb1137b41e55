import { commitChecked } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { insertSpec, newSpec } from './add-spec.ts';
import { presentSpec } from './present-spec.ts';
import { keepSource, sourceEvents } from './source.ts';

export const createOpenAPISpec: Handler<typeof publishing.createOpenAPISpec, PublishingEnvironment> = async (
  { params: { organizationId }, body },
  context,
) => {
  const { db, commit } = context;
  const spec = newSpec({ organizationId, specSlug: body.slug }, await keepSource(body.source, context));
  const isFree = {
    holds: sql`NOT EXISTS (SELECT 1 FROM openapi_specs WHERE organization = ${organizationId} AND slug = ${body.slug})`,
    otherwise: () => conflict(`The slug "${body.slug}" is taken by another OpenAPI specification.`),
    heldBy: 'constraint' as const,
  };
  await commitChecked(db, [isFree], () => commit(insertSpec(db, spec), sourceEvents('openapi_spec.created', spec)));
  return presentSpec(spec, context);
};
