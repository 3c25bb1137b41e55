import type { Role } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { isActive } from './effective-role.ts';
import type { Row } from './row.ts';

/** A caller's place in an organization: without a role where it does not count (see `isActive`). */
export interface Membership {
  role: Role | null;
  active: boolean;
  ownsTeam: boolean;
}

/**
 * Whether the membership `m` shows its organization to a caller, whose token may be bound to one: also where it does not
 * count for anything more, because the organization enforces SSO.
 */
export const showsOrganization = (boundTo: SQL): SQL =>
  sql`(NOT m.disabled AND (${boundTo} IS NULL OR ${boundTo} = m.organization))`;

/** Of `members m` and `organizations o`, for a caller whose token may be bound to one organization. */
export const membershipColumns = (
  boundTo: SQL,
): SQL => sql`m.role AS member_role, ${isActive(boundTo)} AS member_active,
  EXISTS (SELECT 1 FROM team_members tm WHERE tm.user = m.user AND tm.organization = m.organization AND tm.role = 'owner') AS owns_team`;

export function readMembership(row: Row | undefined): Membership {
  const active = row?.member_active === 1;
  return {
    active,
    role: active ? ((row?.member_role ?? null) as Role | null) : null,
    ownsTeam: active && row?.owns_team === 1,
  };
}
