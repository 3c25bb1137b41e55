import type { OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { and, eq } from 'drizzle-orm';
import type { Database, Statement } from '../connect.ts';
import { requestedReviewers } from '../tables/collaboration.ts';
import { members, teams } from '../tables/org-admin.ts';

interface Left {
  organization: OrganizationId;
  id: string;
}

const isAsked = ({ organization, id }: Left): SQL | undefined =>
  and(eq(requestedReviewers.subject, id), eq(requestedReviewers.organization, organization));

/** Removes a user from an organization, with requests for the user's review. */
export const deleteMember = (db: Database, left: Left): Statement[] => [
  db.delete(members).where(and(eq(members.organization, left.organization), eq(members.user, left.id))),
  db.delete(requestedReviewers).where(isAsked(left)),
];

/** Deletes a team, with requests for its review. */
export const deleteTeam = (db: Database, left: Left): Statement[] => [
  db.delete(teams).where(and(eq(teams.id, left.id), eq(teams.organization, left.organization))),
  db.delete(requestedReviewers).where(isAsked(left)),
];
