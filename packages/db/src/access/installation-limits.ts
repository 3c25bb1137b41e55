import type { IntegrationScope, Role } from '@octavo/schema';
import { isAtLeast } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Value } from '../selection.ts';
import { computed, parsed } from '../selection.ts';
import type { Membership } from '../statements/records.ts';

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

/**
 * The scopes by which an installation may do anything: those that its organization agreed to and that its integration
 * asks for since then. One that was gone in between counts again once it is agreed to again. Of the names of both tables.
 */
export const grantedScopes = (installation: SQL, integration: SQL): SQL =>
  sql`(SELECT json_group_array(agreed.value) FROM json_each(${installation}.scopes) agreed
    WHERE EXISTS (SELECT 1 FROM json_each(${integration}.scopes_since) since
      WHERE since.key = agreed.value AND since.value <= ${installation}.agreed_version))`;

/** The same as a field of a selection. */
export const grantedScopesField = (installation: SQL, integration: SQL): Value<IntegrationScope[]> =>
  computed(parsed<IntegrationScope[]>(), grantedScopes(installation, integration));

/** Whether `installations i` reaches `sites st` of its organization. */
export const reachesSite = sql`(i.site_selection = 'all' OR EXISTS (SELECT 1 FROM site_installations own
  WHERE own.installation = i.id AND own.site = st.id AND own.status = 'active'))`;

/** Whether the caller of a token is an installation that reaches the site `st` of the organization `o`; null for others. */
export const installedOnSite = (callerInstallation: SQL, organization: SQL): SQL =>
  sql`(SELECT ${reachesSite} FROM installations i WHERE i.id = ${callerInstallation} AND i.organization = ${organization})`;
