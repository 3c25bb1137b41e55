import type {
  ChangeRequestId,
  IntegrationScope,
  OrganizationId,
  RevisionId,
  Role,
  SiteId,
  SpaceId,
  TeamId,
  UserId,
} from '@octavo/schema';
import { getRoleByRank, isAtLeast } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { prepareStatement } from '../query.ts';
import { computed, fromJson, fromQuery, groupFromQuery, nullable, selection } from '../selection.ts';
import type { Membership } from '../statements/records.ts';
import {
  changeRequestJoins,
  changeRequestRow,
  collectionRow,
  createMemberFields,
  createPointFields,
  createUserFields,
  isListedUser,
  isRequested,
  membershipRow,
  organizationRow,
  showsOrganization,
  spaceJoins,
  spaceRow,
  teamRow,
} from '../statements/records.ts';
import { siteRow } from '../statements/sites.ts';
import { revisions } from '../tables/content.ts';
import { members, tokens, users } from '../tables/org-admin.ts';
import type { ChangeRequestForm } from './expressions.ts';
import {
  hasVisibleContent,
  isActive,
  selectCollectionRank,
  selectGrantedScopes,
  selectIfComplete,
  selectSpaceRank,
} from './expressions.ts';

/**
 * The limits of a caller that is an integration or an installation: the integration, and the scopes of the
 * installation.
 */
interface CallerLimits {
  integration: string | null;
  integrationScopes: IntegrationScope[] | null;
}

/**
 * Returns the role that a caller can use. Accounts of installations have at most the role of an editor, or of a reader
 * if the installation cannot write. Code that uses a caller's role must use the result of this function.
 */
export function limitRole(caller: CallerLimits | undefined, role: Role | null): Role | null {
  if (caller === undefined || caller.integration === null) return role;
  const highest: Role = caller.integrationScopes?.includes('space:content:write') ? 'edit' : 'read';
  return isAtLeast(role, highest) ? highest : role;
}

/** Returns the membership that a caller can use. An integration itself is not a member of any organization. */
export const limitMembership = (caller: CallerLimits | undefined, membership: Membership | undefined): Membership => {
  if (membership?.active !== true) return { active: false, role: null, ownsTeam: false };
  const isInstallation = caller !== undefined && caller.integration !== null;
  return { ...membership, role: limitRole(caller, membership.role), ...(isInstallation && { isInstallation: true }) };
};

/** The SQL condition that `installations i` can access `sites st` of its organization. */
export const canAccessSite = sql`(i.site_selection = 'all' OR EXISTS (SELECT 1 FROM site_installations own
  WHERE own.installation = i.id AND own.site = st.id AND own.status = 'active'))`;

/**
 * Returns the SQL condition that the caller's installation can access the site `st` of the organization `o`. It is
 * null for other callers.
 */
const isInstalledOnSite = (callerInstallation: SQL, organization: SQL): SQL =>
  sql`(SELECT ${canAccessSite} FROM installations i WHERE i.id = ${callerInstallation} AND i.organization = ${organization})`;

const t = aliasedTable(tokens, 't');

/** The integration that a token belongs to, and the effective scopes of its installation. */
const callerLimits = {
  integration: t.integration,
  integrationScopes: nullable(
    computed(
      fromJson<IntegrationScope[]>(),
      sql`(SELECT ${selectGrantedScopes(sql`i`, sql`g`)} FROM installations i
          CROSS JOIN integrations g ON g.name = i.integration AND g.unpublished_at IS NULL WHERE i.id = t.installation)`,
    ),
  ),
};

/**
 * The caller: the user of a valid token; the scopes that limit the token (null: no limit); the organization that the
 * token is bound to (null: all organizations of the user); the time when its use was last recorded and the time when it
 * expires; the integration or installation that the token belongs to, with the effective scopes of the installation;
 * and the number of script runs that led to the token.
 */
const callerRow = selection({
  caller: {
    ...createUserFields(aliasedTable(users, 'u')),
    token: t.id,
    scopes: t.scopes,
    organization: t.organization,
    lastUsedAt: t.lastUsedAt,
    expiresAt: t.expiresAt,
    installation: t.installation,
    depth: t.depth,
    ...callerLimits,
  },
});
export const caller = groupFromQuery(callerRow.fields.caller);

/** Returns the time at which a token must still be valid, in whole seconds, so that repeated queries are equal. */
export const getRequestTime = (): number => Math.ceil(Date.now() / 1000) * 1000;

/**
 * The SQL condition that the token `t` is valid. A token that is bound to an organization is valid only while its user
 * is an active member there, and a token of an integration only while the integration is published. An integration's
 * own token is also bound to its account, because another owner can have taken over the name.
 */
const isValidToken = (now: SQL): SQL => sql`(t.expires_at IS NULL OR t.expires_at > ${now}) AND (t.organization IS NULL
    OR EXISTS (SELECT 1 FROM members b WHERE b.organization = t.organization AND b.user = t.user AND NOT b.disabled))
    AND (t.integration IS NULL OR EXISTS (SELECT 1 FROM integrations g WHERE g.name = t.integration
      AND g.unpublished_at IS NULL AND (t.installation IS NOT NULL OR g.account = t.user)))`;

/** The caller of a valid token. */
export const selectCallerByToken = (hash: SQL, now: SQL): SQL => sql`
  (SELECT ${callerRow} FROM tokens t CROSS JOIN users u ON u.id = t.user
  WHERE t.hash = ${selectIfComplete(hash)} AND ${isValidToken(now)}) caller`;

/** A member who is treated as a caller without a token, for a preview in one organization. */
const selectCallerByMember = (user: SQL, organization: SQL): SQL => sql`
  (SELECT ${callerRow} FROM (SELECT '' AS id, NULL AS scopes, m.organization, NULL AS last_used_at, NULL AS expires_at, NULL AS integration, NULL AS installation, 0 AS depth, m.user
    FROM members m WHERE m.organization = ${organization} AND m.user = ${user} AND NOT m.disabled) t
    CROSS JOIN users u ON u.id = t.user) caller`;

/** An SQL expression that finds the caller: by a token's hash and the time, or by a member and the organization. */
type CallerSource = (first: SQL, second: SQL) => SQL;

/** The caller of a token. */
export const selectCaller = prepareStatement((hash: SQL<string>, now: SQL<number>) =>
  callerRow.query(sql`SELECT * FROM ${selectCallerByToken(hash, now)}`),
);

const boundTo = sql`caller_organization`;

const organizationAccessRow = selection({
  caller,
  organization: nullable(organizationRow.fields),
  membership: membershipRow.fields,
  team: nullable(teamRow.fields),
  member: nullable(createMemberFields(aliasedTable(members, 'target'), aliasedTable(users, 'target_user'))),
});

/** The caller's membership in an organization, with the team and the member that a path names. */
export const selectOrganizationAccess = prepareStatement(
  (
    hash: SQL<string>,
    now: SQL<number>,
    organization: SQL<OrganizationId>,
    team: SQL<TeamId | null>,
    user: SQL<UserId | null>,
  ) =>
    organizationAccessRow.query(sql`
      SELECT caller.*, ${organizationAccessRow.with({ membership: { active: isActive(boundTo) } })}
      FROM ${selectCallerByToken(hash, now)}
      LEFT JOIN members m ON m.organization = ${organization} AND m.user = caller_id AND ${showsOrganization(boundTo)}
      LEFT JOIN organizations o ON o.id = m.organization
      LEFT JOIN teams t ON t.id = ${team} AND t.organization = o.id
      LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = caller_id
      LEFT JOIN members target ON target.organization = o.id AND target.user = ${user} AND ${isListedUser(sql`target.user`)}
      LEFT JOIN users target_user ON target_user.id = target.user`),
);

/** The caller, as the member `m` of the organization `o`. */
const callerAsMember = { user: sql`caller_id`, role: sql`m.role`, active: isActive(boundTo) };

export const siteAccessRow = selection({
  caller,
  organization: nullable(organizationRow.fields),
  membership: membershipRow.fields,
  site: nullable(siteRow.fields),
  rank: nullable(fromQuery(getRoleByRank)),
  isInstalled: nullable(fromQuery(Boolean)),
});

/**
 * The caller's membership in an organization, and one of its sites with the caller's highest role on a space that the
 * site shows. Callers with the right to create content manage every site, so that role is not computed for them.
 */
const buildSiteAccess = (from: CallerSource) =>
  prepareStatement(
    (first: SQL<string>, second: SQL<string | number>, organization: SQL<OrganizationId>, site: SQL<SiteId>) => {
      const columns = siteAccessRow.with({
        membership: { active: isActive(boundTo) },
        rank: sql`CASE WHEN m.role IN ('admin', 'create') THEN NULL ELSE (
        SELECT MAX(${selectSpaceRank(callerAsMember)}) FROM site_spaces ss
        CROSS JOIN spaces s ON s.id = ss.space AND s.deleted_at IS NULL AND s.organization = o.id WHERE ss.site = st.id) END`,
        isInstalled: isInstalledOnSite(sql`caller_installation`, sql`o.id`),
      });
      return siteAccessRow.query(sql`
      SELECT caller.*, ${columns}
      FROM ${from(first, second)}
      LEFT JOIN members m ON m.organization = ${organization} AND m.user = caller_id AND ${showsOrganization(boundTo)}
      LEFT JOIN organizations o ON o.id = m.organization
      LEFT JOIN sites st ON st.id = ${site} AND st.organization = o.id`);
    },
  );

/** Site access for callers with a token, and for members without one. */
export const selectSiteAccess = buildSiteAccess(selectCallerByToken);
export const selectPreviewedSite = buildSiteAccess(selectCallerByMember);

export const memberRoleFields = { role: membershipRow.fields.role, active: membershipRow.fields.active };

export const spaceAccessRow = selection({
  caller,
  space: nullable(spaceRow.fields),
  member: memberRoleFields,
  role: nullable(fromQuery(getRoleByRank)),
  changeRequest: nullable(changeRequestRow.fields),
  isRequested: fromQuery(Boolean),
  named: nullable(createPointFields(aliasedTable(revisions, 'named'))),
});

/** The conditions that select a change request: by its id, by its number in the space, or no change request. */
const requestIds = {
  none: () => sql`NULL`,
  id: (condition: SQL) => sql`${condition} AND cr.space = s.id`,
  number: (condition: SQL) => sql`(SELECT id FROM change_requests WHERE space = s.id AND number = ${condition})`,
} satisfies Record<ChangeRequestForm, (condition: SQL) => SQL>;

const buildSpaceAccess = (request: ChangeRequestForm, requested: SQL, from: CallerSource) =>
  prepareStatement(
    (
      first: SQL<string>,
      second: SQL<string | number>,
      space: SQL<SpaceId>,
      changeRequest: SQL<ChangeRequestId | number | null>,
      revision: SQL<RevisionId | null>,
    ) => {
      const columns = spaceAccessRow.with({
        member: { active: isActive(boundTo) },
        role: selectSpaceRank(callerAsMember),
        isRequested: requested,
      });
      return spaceAccessRow.query(sql`
        SELECT caller.*, ${columns}
        FROM ${from(first, second)}
        LEFT JOIN spaces s ON s.id = ${space} AND s.purging_at IS NULL
        LEFT JOIN members m ON m.organization = s.organization AND m.user = caller_id
        LEFT JOIN organizations o ON o.id = m.organization
        ${spaceJoins}
        LEFT JOIN change_requests cr ON cr.id = ${requestIds[request](changeRequest)}
        ${changeRequestJoins}
        LEFT JOIN revisions named ON named.id = ${revision} AND named.space = s.id`);
    },
  );

const buildSpaceAccessForms = (requested: SQL, from: CallerSource) => ({
  none: buildSpaceAccess('none', requested, from),
  id: buildSpaceAccess('id', requested, from),
  number: buildSpaceAccess('number', requested, from),
});
/**
 * Queries for the caller's role on a space. There is one query for each form of the path, with and without review
 * requests.
 */
export const spaceAccessQueries = {
  plain: buildSpaceAccessForms(sql`0`, selectCallerByToken),
  withRequests: buildSpaceAccessForms(isRequested, selectCallerByToken),
  preview: buildSpaceAccessForms(sql`0`, selectCallerByMember),
};

const tokenRoleRow = selection({ token: t.id, ...callerLimits, rank: nullable(fromQuery(getRoleByRank)) });

/** The roles on a space that the users of tokens have. The tokens are a list of ids in JSON. */
export const selectTokenRoles = prepareStatement((list: SQL<string>, now: SQL<number>, space: SQL<SpaceId>) => {
  const member = { user: sql`t.user`, role: sql`m.role`, active: isActive(sql`t.organization`) };
  return tokenRoleRow.query(sql`
    SELECT ${tokenRoleRow.with({ rank: selectSpaceRank(member) })}
    FROM json_each(${list}) listed CROSS JOIN tokens t ON t.id = listed.value
    CROSS JOIN spaces s ON s.id = ${space} AND s.deleted_at IS NULL
    CROSS JOIN members m ON m.organization = s.organization AND m.user = t.user
    CROSS JOIN organizations o ON o.id = m.organization
    WHERE ${isValidToken(now)}`);
});

const collectionAccessRow = selection({ caller, member: memberRoleFields, collection: nullable(collectionRow.fields) });
const columnNames = collectionAccessRow.names;
const memberColumns = { user: columnNames.caller.id, role: columnNames.member.role, active: columnNames.member.active };

/** The caller's role on a collection. */
export const selectCollectionAccess = prepareStatement(
  (hash: SQL<string>, now: SQL<number>, collection: SQL<string>) => {
    const columns = collectionAccessRow.with({
      member: { active: isActive(boundTo) },
      collection: { role: selectCollectionRank(callerAsMember) },
    });
    const { id, organization, role, onTheWay } = columnNames.collection;
    // MATERIALIZED keeps SQLite from looking for visible content in the collection if the rank already gives access.
    return collectionAccessRow.query(sql`
    WITH found AS MATERIALIZED (
      SELECT caller.*, ${columns}
      FROM ${selectCallerByToken(hash, now)}
      LEFT JOIN collections c ON c.id = ${collection} AND c.deleted_at IS NULL
      LEFT JOIN members m ON m.organization = c.organization AND m.user = caller_id
      LEFT JOIN organizations o ON o.id = m.organization)
    SELECT *, CASE WHEN ${role} > 0 THEN 0 ELSE ${hasVisibleContent(id, organization, memberColumns)} END AS ${onTheWay}
    FROM found`);
  },
);
