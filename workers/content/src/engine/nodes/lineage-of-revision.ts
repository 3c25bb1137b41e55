import type { RevisionId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** The lineage of a revision of a space, as it is now; null where there is no such revision. */
export const lineageOfRevision = ({
  space,
  revision,
}: {
  space: SpaceId | SQL;
  revision: RevisionId | SQL;
}): SQL<string> => sql`(SELECT lineage FROM revisions WHERE id = ${revision} AND space = ${space})`;
