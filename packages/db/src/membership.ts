import type { Role } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { RecordOf } from './fields.ts';
import { computed, given, maybe } from './fields.ts';
import { members } from './org-admin.ts';
import { selection } from './selection.ts';

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

/** Of `members m`; `active` is given as `isActive` tells it. */
export const membershipRow = selection({
  role: maybe(aliasedTable(members, 'm').role),
  active: given(Boolean),
  ownsTeam: computed(
    Boolean,
    sql`EXISTS (SELECT 1 FROM team_members tm WHERE tm.user = m.user AND tm.organization = m.organization AND tm.role = 'owner')`,
  ),
});

/** The membership as far as it counts. */
export const countedMembership = (found: RecordOf<typeof membershipRow> | undefined): Membership =>
  found?.active ? found : { active: false, role: null, ownsTeam: false };
