import type { IntegrationScope, Role } from '@octavo/schema';
import { isAtLeast } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Value } from '../selection.ts';
import { computed, parsed } from '../selection.ts';
import type { Membership } from '../statements/records.ts';

/**
 * The limits of a caller that is an integration or an installation: the integration, and the scopes of the
 * installation.
 */
interface Limited {
  integration: string | null;
  integrationScopes: IntegrationScope[] | null;
}

/**
 * Returns the role that a caller can use. Accounts of installations have at most the role of an editor, or of a reader
 * if the installation cannot write. Every use of a caller's role must pass it through this function.
 */
export function limitedRole(caller: Limited | undefined, role: Role | null): Role | null {
  if (caller === undefined || caller.integration === null) return role;
  const most: Role = caller.integrationScopes?.includes('space:content:write') ? 'edit' : 'read';
  return isAtLeast(role, most) ? most : role;
}

/** Returns the membership that a caller can use. An integration itself is not a member of any organization. */
export const countedMembership = (caller: Limited | undefined, found: Membership | undefined): Membership => {
  if (found?.active !== true) return { active: false, role: null, ownsTeam: false };
  const isInstallation = caller !== undefined && caller.integration !== null;
  return { ...found, role: limitedRole(caller, found.role), ...(isInstallation && { isInstallation: true }) };
};

/**
 * The effective scopes of an installation: those that its organization agreed to and that its integration has requested
 * without interruption since then. A scope that was removed and requested again must be agreed to again. The arguments
 * are the names of both tables.
 */
export const grantedScopes = (installation: SQL, integration: SQL): SQL =>
  sql`(SELECT json_group_array(agreed.value) FROM json_each(${installation}.scopes) agreed
    WHERE EXISTS (SELECT 1 FROM json_each(${integration}.scopes_since) since
      WHERE since.key = agreed.value AND since.value <= ${installation}.agreed_version))`;

/** `grantedScopes` as a field of a selection. */
export const grantedScopesField = (installation: SQL, integration: SQL): Value<IntegrationScope[]> =>
  computed(parsed<IntegrationScope[]>(), grantedScopes(installation, integration));

/** A condition: `installations i` can access `sites st` of its organization. */
export const reachesSite = sql`(i.site_selection = 'all' OR EXISTS (SELECT 1 FROM site_installations own
  WHERE own.installation = i.id AND own.site = st.id AND own.status = 'active'))`;

/**
 * An expression: whether the caller's installation can access the site `st` of the organization `o`; null for other
 * callers.
 */
export const installedOnSite = (callerInstallation: SQL, organization: SQL): SQL =>
  sql`(SELECT ${reachesSite} FROM installations i WHERE i.id = ${callerInstallation} AND i.organization = ${organization})`;
