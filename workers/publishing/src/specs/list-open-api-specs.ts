import { after, decodeCursor, paginate, readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { specRow } from './find-spec.ts';
import { presentSpec } from './present-spec.ts';

/** The newest first. */
export const listOpenAPISpecs: Handler<typeof publishing.listOpenAPISpecs, PublishingEnvironment> = async (
  { query: { page, limit } },
  context,
) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const listed = specRow.query(sql`
    SELECT ${specRow} FROM openapi_specs s INDEXED BY openapi_specs_by_age
    WHERE s.organization = ${context.organization.id} AND ${after(cursor, sql`s.created_at`, sql`s.id`)}
    ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit + 1}`);
  return paginate(await readRows(context.db, listed), limit, {
    item: (spec) => presentSpec(spec, context),
    cursorOf: ({ createdAt, id }) => [createdAt, id],
  });
};
