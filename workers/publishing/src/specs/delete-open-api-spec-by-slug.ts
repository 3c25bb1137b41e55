import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { getSpec } from './find-spec.ts';
import { dropObjects } from './keep-object.ts';
import { writeSpec } from './write-spec.ts';

export const deleteOpenAPISpecBySlug: Handler<
  typeof publishing.deleteOpenAPISpecBySlug,
  PublishingEnvironment
> = async ({ params }, context) => {
  const { db } = context;
  const spec = await getSpec(db, params);
  const { id } = spec;
  const statements = [
    dropObjects(
      db,
      sql`SELECT source_object FROM openapi_specs WHERE id = ${id}
        UNION SELECT raw FROM openapi_versions WHERE spec = ${id}
        UNION SELECT content FROM openapi_versions WHERE spec = ${id}`,
    ),
    db.run(sql`DELETE FROM openapi_entries WHERE version IN (SELECT id FROM openapi_versions WHERE spec = ${id})`),
    db.run(sql`DELETE FROM openapi_versions WHERE spec = ${id}`),
    db.run(sql`DELETE FROM openapi_specs WHERE id = ${id}`),
  ];
  await writeSpec(spec, 'openapi_spec.deleted', statements, context);
  return undefined;
};
