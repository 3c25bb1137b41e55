import type { UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { prepareStatement, readRow } from '../query.ts';
import type { RecordOf } from '../selection.ts';
import { fromQuery, nullable, selection } from '../selection.ts';
import { integrationRow, membershipRow, organizationRow } from '../statements/records.ts';
import { installations, integrations } from '../tables/integrations.ts';
import type { CallerRecord } from './access.ts';
import { createGrantedScopesField, isActive, selectSpaceRank } from './expressions.ts';
import { caller, canAccessSite, getRequestTime, memberRoleFields, selectCallerByToken } from './statements.ts';

/** An integration, its owner, the caller's membership there, and whether the caller may install it. */
const visibleFields = {
  integration: integrationRow.fields,
  organization: organizationRow.fields,
  membership: membershipRow.fields,
  installs: fromQuery(Boolean),
};

/** Selects from `integrations i`, `organizations o` and the caller's `members m` there. */
export const visibleIntegrationRow = selection(visibleFields);
export type VisibleIntegrationRecord = RecordOf<typeof visibleIntegrationRow>;

/**
 * Returns the SQL condition that the user has a grant to create content, directly or through a team. A direct grant
 * overrides those of teams.
 */
const mayCreateSomewhere = (user: SQL): SQL => sql`(
  EXISTS (SELECT 1 FROM grants g WHERE g.subject = ${user} AND g.organization = m.organization
    AND g.role IN ('admin', 'create') AND ${isNotDeleted})
  OR EXISTS (SELECT 1 FROM team_members tm CROSS JOIN grants g ON g.subject = tm.team AND g.organization = tm.organization
    WHERE tm.user = ${user} AND tm.organization = m.organization AND g.role IN ('admin', 'create') AND ${isNotDeleted}
      AND NOT EXISTS (SELECT 1 FROM grants own WHERE own.object = g.object AND own.subject = ${user})))`;

const isNotDeleted = sql`(EXISTS (SELECT 1 FROM spaces k WHERE k.id = g.object AND k.deleted_at IS NULL)
  OR EXISTS (SELECT 1 FROM collections k WHERE k.id = g.object AND k.deleted_at IS NULL))`;

/**
 * The organizations where a caller may install. An admin may install everywhere in the organization; other callers may
 * install on content where they may create.
 */
export const selectInstallableOrganizations = (user: SQL, boundTo: SQL): SQL => sql`
  SELECT m.organization, m.role IS 'admin' AS everywhere
  FROM members m CROSS JOIN organizations o ON o.id = m.organization
  WHERE m.user = ${user} AND ${isActive(boundTo)} AND (COALESCE(m.role, '') IN ('admin', 'create') OR ${mayCreateSomewhere(user)})`;

/**
 * Returns the SQL condition that `integrations i` may be installed in one of these organizations. A private integration
 * can be installed only in its owner's organization.
 */
export const canInstallIn = (organizations: SQL): SQL => sql`EXISTS (SELECT 1 FROM ${organizations} p
  WHERE (i.visibility <> 'private' OR p.organization = i.organization) AND (p.everywhere OR i.target <> 'organization'))`;

const accessRow = selection({ caller, shown: nullable(visibleFields) });

interface IntegrationAccess {
  caller: CallerRecord | undefined;
  visible: VisibleIntegrationRecord | undefined;
}

/**
 * Returns whether the caller is the integration itself or an installation of it. The accounts of integrations are
 * compared too, because another owner can have taken over the name. The accounts of installations are not compared,
 * because they are deleted together with their installations.
 */
export const isIntegration = (
  { id, integration, installation }: Pick<CallerRecord, 'id' | 'integration' | 'installation'>,
  { name, account }: { name: string; account: UserId },
): boolean => integration === name && (installation !== null || id === account);

const selectIntegrationAccess = prepareStatement((hash: SQL<string>, now: SQL<number>, name: SQL<string>) => {
  const columns = accessRow.with({
    shown: {
      membership: { active: isActive(tokenOrganization) },
      installs: canInstallIn(sql`(${selectInstallableOrganizations(sql`caller_id`, tokenOrganization)})`),
    },
  });
  return accessRow.query(sql`
    SELECT caller.*, ${columns}
    FROM ${selectCallerByToken(hash, now)}
    LEFT JOIN integrations i ON i.name = ${name} AND i.unpublished_at IS NULL
    LEFT JOIN organizations o ON o.id = i.organization
    LEFT JOIN members m ON m.organization = o.id AND m.user = caller_id`);
});

/** Returns the caller, and an integration with the caller's membership in its owner. One round trip. */
export async function findIntegrationAccess(db: Database, hash: string, name: string): Promise<IntegrationAccess> {
  const row = await readRow(db, selectIntegrationAccess(hash, getRequestTime(), name));
  return { caller: row?.caller, visible: row?.shown ?? undefined };
}

const [i, g] = [aliasedTable(installations, 'i'), aliasedTable(integrations, 'g')];

/** An installation with its integration. Selects from `installations i` and `integrations g`. */
export const installationRow = selection({
  id: i.id,
  organization: i.organization,
  account: i.account,
  status: i.status,
  /** The scopes that are currently effective. */
  scopes: createGrantedScopesField(sql`i`, sql`g`),
  spaceSelection: i.spaceSelection,
  siteSelection: i.siteSelection,
  configuration: i.configuration,
  externalIds: i.externalIds,
  spaces: i.spaces,
  createdAt: i.createdAt,
  updatedAt: i.updatedAt,
  integration: {
    name: g.name,
    account: g.account,
    version: g.version,
    title: g.title,
    target: g.target,
    scopes: g.scopes,
    configurations: g.configurations,
  },
});

export type InstallationRecord = RecordOf<typeof installationRow>;

/** Joins the integration of `installations i`. Installations of an unpublished integration are ignored. */
export const joinIntegration = sql`CROSS JOIN integrations g ON g.name = i.integration AND g.unpublished_at IS NULL`;

const tokenOrganization = sql`caller_organization`;

const installationAccessRow = selection({
  caller,
  member: memberRoleFields,
  installation: nullable(installationRow.fields),
});

const selectInstallationAccess = prepareStatement(
  (hash: SQL<string>, now: SQL<number>, integration: SQL<string>, id: SQL<string>) =>
    installationAccessRow.query(sql`
      SELECT caller.*, ${installationAccessRow.with({ member: { active: isActive(tokenOrganization) } })}
      FROM ${selectCallerByToken(hash, now)}
      LEFT JOIN integrations g ON g.name = ${integration} AND g.unpublished_at IS NULL
      LEFT JOIN installations i ON i.id = ${id} AND i.integration = g.name
      LEFT JOIN members m ON m.organization = i.organization AND m.user = caller_id
      LEFT JOIN organizations o ON o.id = m.organization`),
);

export interface InstallationAccess {
  caller: CallerRecord | undefined;
  installation: InstallationRecord | undefined;
  /** Whether the caller is the installation itself, or its integration. */
  isOwn: boolean;
  isMember: boolean;
  /** Whether the caller is an admin of the installation's organization. */
  isAdmin: boolean;
}

/** Returns an installation and the caller's relation to it. One round trip. */
export async function findInstallationAccess(
  db: Database,
  hash: string,
  path: { integration: string; id: string },
): Promise<InstallationAccess> {
  const row = await readRow(db, selectInstallationAccess(hash, getRequestTime(), path.integration, path.id));
  const { caller: actor, installation, member } = row ?? {};
  const access = installation ?? undefined;
  const isPerson = actor?.integration === null;
  const isMember = isPerson && member?.active === true;
  return {
    caller: actor,
    installation: access,
    isOwn: access !== undefined && actor !== undefined && isOwnInstallation(actor, access),
    isMember,
    isAdmin: isMember && member?.role === 'admin',
  };
}

const isOwnInstallation = (caller: CallerRecord, { id, integration }: InstallationRecord) =>
  caller.installation === null ? isIntegration(caller, integration) : caller.installation === id;

const idRow = selection({ id: aliasedTable(installations, 'place').id });

/** The account of `installations i`, as the member `m` of the organization `o`. */
const account = { user: sql`m.user`, role: sql`m.role`, active: isActive(sql`m.organization`) };

const joinAccount = sql`CROSS JOIN members m ON m.organization = i.organization AND m.user = i.account
  CROSS JOIN organizations o ON o.id = m.organization`;

/** Queries for a space or a site that an installation can access in its organization. */
export const accessibleToInstallation = {
  space: prepareStatement((installation: SQL<string>, space: SQL<string>) =>
    idRow.query(sql`SELECT s.id FROM installations i ${joinAccount}
      CROSS JOIN spaces s ON s.id = ${space} AND s.organization = i.organization
        AND s.deleted_at IS NULL AND s.purging_at IS NULL
      WHERE i.id = ${installation} AND ${selectSpaceRank(account)} > 0`),
  ),
  site: prepareStatement((installation: SQL<string>, site: SQL<string>) =>
    idRow.query(sql`SELECT st.id FROM installations i ${joinAccount}
      CROSS JOIN sites st ON st.id = ${site} AND st.organization = i.organization
      WHERE i.id = ${installation} AND NOT m.disabled AND ${canAccessSite}`),
  ),
};
