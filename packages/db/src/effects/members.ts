import type { OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import type { Statement } from '../query.ts';
import { requestedReviewers } from '../tables/collaboration.ts';
import { members, teams } from '../tables/org-admin.ts';

interface Subject {
  organization: OrganizationId;
  id: string;
}

const isReviewRequest = ({ organization, id }: Subject): SQL | undefined =>
  and(eq(requestedReviewers.subject, id), eq(requestedReviewers.organization, organization));

/** Removes a user from an organization, and deletes the review requests to the user. */
export const deleteMember = (db: Database, subject: Subject): Statement[] => [
  db.delete(members).where(and(eq(members.organization, subject.organization), eq(members.user, subject.id))),
  db.delete(requestedReviewers).where(isReviewRequest(subject)),
];

/** Deletes a team, and the review requests to it. */
export const deleteTeam = (db: Database, subject: Subject): Statement[] => [
  db.delete(teams).where(and(eq(teams.id, subject.id), eq(teams.organization, subject.organization))),
  db.delete(requestedReviewers).where(isReviewRequest(subject)),
];
