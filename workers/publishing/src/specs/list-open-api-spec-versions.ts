import { decodeCursor, paginate, readRows, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { getSpec } from './find-spec.ts';
import { versionFields } from './find-version.ts';
import { presentVersion } from './present-spec.ts';

const listedRow = selection(versionFields);

/** The newest first. */
export const listOpenAPISpecVersions: Handler<
  typeof publishing.listOpenAPISpecVersions,
  PublishingEnvironment
> = async ({ params, query: { page, limit } }, { db, urls }) => {
  const cursor = decodeCursor(page, ['number']);
  const spec = await getSpec(db, params);
  const isAfter = cursor === undefined ? sql`1` : sql`v.number < ${cursor[0]}`;
  const listed = listedRow.query(sql`
    SELECT ${listedRow} FROM openapi_versions v WHERE v.spec = ${spec.id} AND ${isAfter}
    ORDER BY v.number DESC LIMIT ${limit + 1}`);
  return paginate(await readRows(db, listed), limit, {
    item: (version) => presentVersion(spec, version, urls),
    cursorOf: ({ number }) => [number],
  });
};
