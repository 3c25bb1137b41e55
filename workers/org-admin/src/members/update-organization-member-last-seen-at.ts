import { members } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { signVisitorClaims } from './visitor-claims.ts';

/** Writes no event: the audit log would hold little else. */
export const updateOrganizationMemberLastSeenAt: Handler<
  typeof orgAdmin.updateOrganizationMemberLastSeenAt,
  OrgAdminEnvironment
> = async (_, { db, organization, membership, actor, commit, urls }) => {
  const own = sql`organization = ${organization.id} AND user = ${actor.id}`;
  await commit([db.update(members).set({ lastSeenAt: Date.now() }).where(own)], []);
  const serviceVisitorClaims = await signVisitorClaims(db, {
    issuer: urls.page(''),
    organization: organization.id,
    user: actor.id,
    role: membership.role,
  });
  return { serviceVisitorClaims };
};
