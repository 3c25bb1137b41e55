import type { OpenAPISpecRecord, Statement } from '@octavo/db';
import { must, openapiSpecs, retryOnConflict } from '@octavo/db';
import type { Context, Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { insertSpec, newSpec } from './add-spec.ts';
import { findSpec } from './find-spec.ts';
import { dropObjects, keepObjects } from './keep-object.ts';
import { presentSpec } from './present-spec.ts';
import { type KeptSource, keepSource, sourceEvents } from './source.ts';

type Operation = typeof publishing.createOrUpdateOpenAPISpecBySlug;

export const createOrUpdateOpenAPISpecBySlug: Handler<Operation, PublishingEnvironment> = async (
  { params, body },
  context,
) => {
  const kept = await keepSource(body.source, context);
  const written = await retryOnConflict(async () => {
    const spec = await findSpec(context.db, params);
    return spec === undefined ? add(newSpec(params, kept), context) : update(spec, kept, context);
  });
  return presentSpec(written, context);
};

type Writing = Pick<Context<Operation, PublishingEnvironment>, 'db' | 'commit'>;

async function add(spec: OpenAPISpecRecord, { db, commit }: Writing): Promise<OpenAPISpecRecord> {
  await commit(insertSpec(db, spec), sourceEvents('openapi_spec.created', spec));
  return spec;
}

/** What is read by then stays until the new source has been read. */
async function update(spec: OpenAPISpecRecord, kept: KeptSource, { db, commit }: Writing): Promise<OpenAPISpecRecord> {
  const changed = {
    ...kept,
    state: 'pending' as const,
    errorCode: null,
    errorMessage: null,
    updatedAt: Date.now(),
  };
  const isThis = sql`id = ${spec.id}`;
  const isSameAddress = sql`source_url IS ${kept.sourceUrl}`;
  const validators = {
    etag: sql`CASE WHEN ${isSameAddress} THEN etag END`,
    lastModified: sql`CASE WHEN ${isSameAddress} THEN last_modified END`,
  };
  const statements: Statement[] = [
    must(db, sql`EXISTS (SELECT 1 FROM openapi_specs WHERE ${isThis})`),
    dropObjects(db, sql`SELECT source_object FROM openapi_specs WHERE ${isThis}`),
    db
      .update(openapiSpecs)
      .set({ ...changed, ...validators })
      .where(isThis),
    keepObjects(db, kept.sourceObject === null ? [] : [kept.sourceObject]),
  ];
  const written = { ...spec, ...changed };
  await commit(statements, sourceEvents('openapi_spec.updated', written));
  return written;
}
