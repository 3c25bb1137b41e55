import { listingMember, reachedByGuest, spaceRank } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { collaboration } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { CollaborationEnvironment } from '../environment.ts';
import { listChangeRequests } from './list-change-requests.ts';

/** Of the live spaces that the caller may open. */
export const listChangeRequestsForOrganization: Handler<
  typeof collaboration.listChangeRequestsForOrganization,
  CollaborationEnvironment
> = ({ query }, { db, organization: { id: organization }, membership, actor, urls }) => {
  const member = listingMember(actor.id, membership.role);
  return listChangeRequests(
    db,
    {
      organization,
      space: query.space,
      statuses: [...new Set(query.status)],
      query,
      sees: sql`EXISTS (SELECT 1 FROM spaces s WHERE s.id = cr.space AND s.organization = ${organization}
        AND s.deleted_at IS NULL AND ${spaceRank(member)} > 0)`,
      reached: member.isGuest ? reachedByGuest(sql`${organization}`, member) : undefined,
    },
    urls,
  );
};
