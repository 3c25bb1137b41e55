import type { CallerRecord, Check, SpaceRecord } from '@octavo/db';
import { actingMember, collectionRank, joinActingMember } from '@octavo/db';
import { forbidden, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Destination } from '../../engine/placing/arrival.ts';

/** The space is not in the trash when it is written, and still where it was found. */
export const stillThere = ({ id, organization, parent }: SpaceRecord): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM spaces
    WHERE id = ${id} AND organization = ${organization} AND parent IS ${parent} AND deleted_at IS NULL)`,
  otherwise: () => notFound('space'),
});

/** The rank of `create`. */
const leastRank = sql.raw('5');

/** The actor may make content there: `create` on the collection, or `createContent` on the organization. */
export function mayCreateIn({ organization, parent }: Destination, actor: CallerRecord): Check {
  const member = actingMember(actor);
  const join = joinActingMember(sql`${organization}`, actor);
  return {
    holds:
      parent === null
        ? sql`EXISTS (SELECT 1 FROM (SELECT 1) ${join} WHERE ${member.active} AND m.role IN ('admin', 'create'))`
        : sql`EXISTS (SELECT 1 FROM collections c ${join}
            WHERE c.id = ${parent} AND c.organization = ${organization} AND ${collectionRank(member)} >= ${leastRank})`,
    otherwise: () =>
      forbidden(
        parent === null
          ? 'The caller may not do this here: it needs the right createContent on the organization.'
          : 'The caller may not do this here: it needs the right create on the collection that the space is in.',
      ),
  };
}
