import type { IntegrationScope, Role } from '@octavo/schema';
import { isAtLeast } from '@octavo/schema';
import type { Membership } from './records.ts';

/** Who calls, as far as it is no person: the integration, and the scopes of the installation. */
interface Limited {
  integration: string | null;
  integrationScopes: IntegrationScope[] | null;
}

/**
 * A role as far as it counts for who calls: that of an installation's account at most as an editor's, and as a reader's
 * where the installation may not write. Whatever reads the role of a caller takes it through here.
 */
export function limitedRole(caller: Limited | undefined, role: Role | null): Role | null {
  if (caller === undefined || caller.integration === null) return role;
  const most: Role = caller.integrationScopes?.includes('space:content:write') ? 'edit' : 'read';
  return isAtLeast(role, most) ? most : role;
}

/** The membership as far as it counts for who calls. An integration itself is a member nowhere. */
export const countedMembership = (caller: Limited | undefined, found: Membership | undefined): Membership => {
  if (found?.active !== true) return { active: false, role: null, ownsTeam: false };
  const isInstallation = caller !== undefined && caller.integration !== null;
  return { ...found, role: limitedRole(caller, found.role), ...(isInstallation && { isInstallation: true }) };
};
