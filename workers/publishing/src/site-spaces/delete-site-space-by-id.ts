import { deleteSiteSpaces } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { writeStructure } from '../structure/write-structure.ts';
import { mayRemove } from './checks.ts';

/** The space itself stays. Where it was the default, the first that remains becomes it. */
export const deleteSiteSpaceById: Handler<typeof publishing.deleteSiteSpaceById, PublishingEnvironment> = async (
  { params: { siteSpaceId: id } },
  context,
) => {
  const { db, site } = context;
  await writeStructure(
    context,
    {
      event: { type: 'site_space.deleted', data: { site: site.id, siteSpace: id } },
      checks: [mayRemove(context, id)],
      statements: deleteSiteSpaces(db, (alias) => sql`${alias}.id = ${id}`),
    },
    [],
  );
};
