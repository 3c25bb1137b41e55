import type {
  BranchId,
  ChangeRequestId,
  IntegrationScope,
  OrganizationId,
  RevisionId,
  Role,
  SiteId,
  SpaceId,
  UserId,
} from '@octavo/schema';
import type { SQL, SQLWrapper } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { completeCheck } from '../connect.ts';
import { Lookup } from '../query.ts';
import type { Value } from '../selection.ts';
import { computed, fromJson } from '../selection.ts';
import type { Lineage } from '../tables/content.ts';

/** The rank of a role column: 6 (`admin`) to 1 (`read`), 0 for an explicit "no access", null if the column is null. */
export const selectRoleRank = (role: SQL): SQL =>
  sql`CASE ${role} WHEN 'admin' THEN 6 WHEN 'create' THEN 5 WHEN 'review' THEN 4 WHEN 'edit' THEN 3 WHEN 'comment' THEN 2 WHEN 'read' THEN 1 WHEN 'none' THEN 0 END`;

/** The columns of a space or a collection that determine its rank. */
interface RankedContent {
  id: SQL;
  organization: SQL;
  parent: SQL;
  defaultLevel: SQL;
  createdBy: SQL;
}

export interface RankedMember {
  user: SQL;
  /** The member's role in the organization; null for a guest. */
  role: SQL;
  /** True for an active member (see `isActive`). */
  active: SQL;
}

/** Returns the columns of a content table, by its alias. */
const getContentColumns = (alias: string): RankedContent => ({
  id: sql.raw(`${alias}.id`),
  organization: sql.raw(`${alias}.organization`),
  parent: sql.raw(`${alias}.parent`),
  defaultLevel: sql.raw(`${alias}.default_level`),
  createdBy: sql.raw(`${alias}.created_by`),
});

/**
 * Returns the SQL condition that the caller can use the membership `m`. The membership exists and is not disabled, the
 * caller's token is valid in the organization, and if `o` enforces SSO, its SSO issued the token (except for admins).
 */
export const isActive = (boundTo: SQL): SQL => sql`(m.user IS NOT NULL AND NOT m.disabled
  AND (${boundTo} IS NULL OR ${boundTo} = m.organization) AND (NOT o.sso OR m.role IS 'admin' OR ${boundTo} IS NOT NULL))`;

/**
 * The rank that a space or collection itself defines for a member; null if the content inherits the rank. Most content
 * has no direct grants: for such content, the EXISTS avoids reading the member's teams.
 */
const selectOwnRank = (
  { id, organization, defaultLevel, createdBy }: RankedContent,
  member: RankedMember,
): SQL => sql`COALESCE(
  CASE WHEN EXISTS (SELECT 1 FROM grants g WHERE g.object = ${id}) THEN COALESCE(
    (SELECT COALESCE(${selectRoleRank(sql`g.role`)}, 0) FROM grants g
      WHERE g.object = ${id} AND g.subject = ${member.user} AND g.organization = ${organization}),
    (SELECT MAX(COALESCE(${selectRoleRank(sql`g.role`)}, 0)) FROM team_members tm CROSS JOIN grants g
      ON g.object = ${id} AND g.subject = tm.team AND g.organization = tm.organization
      WHERE tm.user = ${member.user} AND tm.organization = ${organization})) END,
  CASE
    WHEN ${defaultLevel} = 'none' THEN CASE WHEN ${createdBy} = ${member.user} THEN 5 ELSE 0 END
    WHEN ${defaultLevel} IS NOT NULL AND ${member.role} IS NOT NULL THEN ${selectRoleRank(defaultLevel)}
  END)`;

/** A chain of collections that is longer than this, or circular, grants no access. */
const maxDepth = 64;

/**
 * The effective role of a member on a space or collection, as a rank. Authorization and all filtered lists share this
 * definition. It walks up the chain of parent collections to the first one that defines a rank, at each level by grants
 * of the user and of the user's teams. If none does, the member's own role applies.
 */
const selectEffectiveRank = (content: RankedContent, member: RankedMember): SQL => sql`CASE
  WHEN NOT COALESCE(${member.active}, 0) THEN NULL
  WHEN ${member.role} = 'admin' THEN 6
  ELSE COALESCE((
    WITH RECURSIVE chain(depth, organization, parent, rank) AS (
      SELECT 0, ${content.organization}, ${content.parent}, ${selectOwnRank(content, member)}
      UNION ALL
      SELECT depth + 1, k.organization, k.parent,
        CASE WHEN depth < ${sql.raw(String(maxDepth))} THEN ${selectOwnRank(getContentColumns('k'), member)} ELSE 0 END
      FROM chain CROSS JOIN collections k ON k.id = chain.parent AND k.organization = chain.organization
      WHERE chain.rank IS NULL
    )
    SELECT rank FROM chain WHERE rank IS NOT NULL
  ), ${selectRoleRank(member.role)}) END`;

/** The effective role of a member on `spaces s`, as a rank. */
export const selectSpaceRank = (member: RankedMember): SQL => selectEffectiveRank(getContentColumns('s'), member);

/** The effective role of a member on `collections c`, as a rank. */
export const selectCollectionRank = (member: RankedMember): SQL => selectEffectiveRank(getContentColumns('c'), member);

/**
 * The ids of the content in an organization on which the member, or a team of the member, has a grant, and of the
 * hidden content that the member created.
 */
const selectGrantedContent = (organization: SQL, member: RankedMember): SQL => sql`
  SELECT g.object AS id FROM grants g
    WHERE g.subject = ${member.user} AND g.organization = ${organization} AND g.role IS NOT NULL
  UNION
  SELECT g.object FROM team_members tm CROSS JOIN grants g ON g.subject = tm.team AND g.organization = tm.organization
    WHERE tm.user = ${member.user} AND tm.organization = ${organization} AND g.role IS NOT NULL
  UNION
  SELECT h.id FROM collections h WHERE h.created_by = ${member.user} AND h.organization = ${organization} AND h.default_level = 'none'
  UNION
  SELECT h.id FROM spaces h WHERE h.created_by = ${member.user} AND h.organization = ${organization} AND h.default_level = 'none'`;

/** The content that `given.id` names: `collections gc` or `spaces gs`. */
const grantedColumns: RankedContent = {
  id: sql`given.id`,
  organization: sql`COALESCE(gc.organization, gs.organization)`,
  parent: sql`COALESCE(gc.parent, gs.parent)`,
  defaultLevel: sql`COALESCE(gc.default_level, gs.default_level)`,
  createdBy: sql`COALESCE(gc.created_by, gs.created_by)`,
};

/**
 * The collections that contain content whose default level gives a member a role. Needs one index search for each of
 * the two tables.
 */
function selectOpenedParents(table: 'spaces' | 'collections', organization: SQL, member: RankedMember): SQL {
  const openedParents = sql`${sql.raw(`${table} k INDEXED BY ${table}_opened`)}
    WHERE k.organization = ${organization} AND k.default_level <> 'none' AND k.parent IS NOT NULL AND k.deleted_at IS NULL`;
  return sql`SELECT id FROM (
    WITH RECURSIVE holders(id) AS (
      SELECT MIN(k.parent) FROM ${openedParents} AND ${member.role} IS NOT NULL
      UNION ALL
      SELECT (SELECT MIN(k.parent) FROM ${openedParents} AND k.parent > holders.id) FROM holders WHERE id IS NOT NULL
    )
    SELECT id FROM holders WHERE id IS NOT NULL
      AND EXISTS (SELECT 1 FROM ${openedParents} AND k.parent = holders.id AND ${selectOwnRank(getContentColumns('k'), member)} > 0))`;
}

/**
 * A subquery for the ids of the collections above content that is accessible to a member. Members see the ancestors of
 * content that they can see. The cost of the subquery depends on the number of grants and default levels, not on the
 * size of the organization. It is not correlated with the rows of a list, so a list runs it only once.
 */
const selectVisibleAncestors = (organization: SQL, member: RankedMember): SQL => sql`
  WITH RECURSIVE given(id) AS MATERIALIZED (${selectGrantedContent(organization, member)}), above(id) AS (
    SELECT ${grantedColumns.parent} FROM given LEFT JOIN collections gc ON gc.id = given.id LEFT JOIN spaces gs ON gs.id = given.id
      WHERE COALESCE(gc.deleted_at, gs.deleted_at) IS NULL AND ${grantedColumns.organization} = ${organization}
        AND ${selectOwnRank(grantedColumns, member)} > 0
    UNION ${selectOpenedParents('spaces', organization, member)}
    UNION ${selectOpenedParents('collections', organization, member)}
    UNION
    SELECT k.parent FROM above CROSS JOIN collections k ON k.id = above.id AND k.organization = ${organization}
  )
  SELECT id FROM above WHERE id IS NOT NULL`;

/**
 * Returns the SQL condition that the member can see content in the collection with this id, and therefore the
 * collection too.
 */
export const hasVisibleContent = (id: SQL, organization: SQL, member: RankedMember): SQL =>
  sql`(COALESCE(${member.active}, 0) AND ${id} IN (${selectVisibleAncestors(organization, member)}))`;

/**
 * The ids of the content that a guest can see: content with grants, its descendants and the collections above it. The
 * result is a superset: the rank of each object still decides.
 */
export const selectVisibleToGuest = (organization: SQL, member: RankedMember): SQL => sql`
  SELECT id FROM (
    WITH RECURSIVE given(id) AS MATERIALIZED (${selectGrantedContent(organization, member)}), below(id) AS (
      SELECT k.id FROM given CROSS JOIN collections k ON k.id = given.id
      UNION
      SELECT k.id FROM below CROSS JOIN collections k INDEXED BY collections_of_parent ON k.parent = below.id
    )
    SELECT id FROM given
    UNION SELECT id FROM below
    UNION SELECT k.id FROM below CROSS JOIN spaces k ON k.parent = below.id)
  UNION SELECT id FROM (${selectVisibleAncestors(organization, member)})`;

/** The role and settings of a member, read once for all lists of this member. */
export interface ListingMember extends RankedMember {
  isGuest: boolean;
}

/** @param active Whether the member is active. False for a disabled member. */
export const toListingMember = (user: UserId, role: Role | null, active = true): ListingMember => ({
  user: sql`${user}`,
  role: sql`${role}`,
  active: active ? sql`1` : sql`0`,
  isGuest: role === null,
});

const listSources = {
  spaces: { all: sql`spaces s`, reached: sql`reached CROSS JOIN spaces s ON s.id = reached.id` },
  collections: { all: sql`collections c`, reached: sql`reached CROSS JOIN collections c ON c.id = reached.id` },
};

/**
 * The FROM clause of a list for the member, with the alias `s` or `c`: all content, or for a guest the granted content.
 */
export const listSource = (table: 'spaces' | 'collections', organization: SQL, member: ListingMember): SQL =>
  member.isGuest
    ? sql`(${selectVisibleToGuest(organization, member)}) ${listSources[table].reached}`
    : listSources[table].all;

/*
 * Lookups of values that the authorization also reads. With lookups, the queries of an operation are sent in the same
 * round trip as the authorization, before the authorization has decided. Lookups do not replace the authorization: they
 * only ensure that callers without access cannot start expensive reads. A lookup is null for the token of a user who is
 * not a member of the organization, and for the token of an integration, whose role is limited.
 */

/** The caller of a request: the hash of a token, or the site of a visitor's token. */
type ReadingCaller = { hash: string } | { site: SiteId };

/** The user `t.user` of a token. */
const selectUser = (hash: SQL): SQL => sql`(SELECT user FROM tokens WHERE hash = ${hash} AND integration IS NULL)`;

/** Return an SQL expression for a column of a space: null if the caller may not read anything there. */
const readableSpaces = {
  hash: (hash: SQL, space: SQL, column = sql`s.id`): SQL => sql`(SELECT ${column} FROM spaces s
    CROSS JOIN members m ON m.organization = s.organization AND m.user = ${selectUser(hash)} WHERE s.id = ${space})`,
  site: (site: SQL, space: SQL): SQL =>
    sql`(SELECT p.space FROM site_spaces p INDEXED BY site_spaces_by_space WHERE p.space = ${space} AND p.site = ${site} LIMIT 1)`,
};

/** Return an SQL expression for the branch of a space or of one of its change requests. */
const branches = {
  none: (space: SQL): SQL => space,
  id: (space: SQL, id: SQL): SQL => sql`(SELECT id FROM change_requests WHERE id = ${id} AND space = ${space})`,
  number: (space: SQL, number: SQL): SQL =>
    sql`(SELECT id FROM change_requests WHERE space = ${space} AND number = ${number})`,
};

const selectNewestLineage = (branch: BranchId | SQLWrapper): SQL<string> =>
  sql`(SELECT lineage FROM revisions WHERE branch = ${branch} ORDER BY seq DESC LIMIT 1)`;

/**
 * The lineage of the newest revision of a branch. A change request without revisions has the lineage of its initial
 * revision.
 */
export const selectBranchLineage = (
  branch: BranchId | SQLWrapper,
): SQL<string> => sql`COALESCE(${selectNewestLineage(branch)},
  (SELECT lineage FROM revisions WHERE id = (SELECT revision_initial FROM change_requests WHERE id = ${branch})))`;

const getKind = (caller: ReadingCaller): keyof typeof readableSpaces => ('hash' in caller ? 'hash' : 'site');
const getId = (caller: ReadingCaller) => ('hash' in caller ? caller.hash : caller.site);

/** Looks up the branch that a path names. */
export function lookUpBranch(caller: ReadingCaller, path: SpacePath): Lookup<string> {
  const [kind, form] = [getKind(caller), getChangeRequestForm(path)];
  const [space, changeRequest] = toSpaceValues(path);
  const build = (id: SQL, space: SQL, request: SQL) => branches[form](readableSpaces[kind](id, space), request);
  return new Lookup(`branch ${kind} ${form}`, build, [getId(caller), space, changeRequest]);
}

/** Looks up the organization of a space that the user of a token may be able to read. */
export const lookUpOwner = (hash: string, space: SpaceId): Lookup<OrganizationId> =>
  new Lookup('owner', (hash: SQL, space: SQL) => readableSpaces.hash(hash, space, sql`s.organization`), [hash, space]);

/** Looks up the lineage of the revision through which a path names content. */
export function lookUpLineage(caller: ReadingCaller, path: SpacePath): Lookup<string> {
  const kind = getKind(caller);
  const { space, revision } = path;
  if (revision !== undefined) {
    const build = (id: SQL, space: SQL, revision: SQL) =>
      sql`(SELECT lineage FROM revisions WHERE id = ${revision} AND space = ${readableSpaces[kind](id, space)})`;
    return new Lookup(`revision ${kind}`, build, [getId(caller), space, revision]);
  }
  const { name, build, values } = lookUpBranch(caller, path);
  const select = path.changeRequest === undefined ? selectNewestLineage : selectBranchLineage;
  return new Lookup(`lineage ${name}`, (...branchValues) => select(build(...branchValues)), values);
}

/** A revision through which content is read, or a lookup of it. The branch is undefined if it is not known yet. */
export interface ReadPoint {
  lineage: Lineage | Lookup<string>;
  branch?: BranchId | undefined;
}

/** Returns the lineage of a point as a value of a statement. */
export const toLineageValue = ({ lineage }: ReadPoint): string | Lookup<string> =>
  lineage instanceof Lookup ? lineage : JSON.stringify(lineage);

/** Looks up the user of a token. */
export const lookUpUser = (hash: string): Lookup<UserId> => new Lookup('user', selectUser, [hash]);

/** Looks up the organization to which a token is bound. */
export const lookUpBoundOrganization = (hash: string): Lookup<OrganizationId | null> =>
  new Lookup('bound', (hash: SQL) => sql`(SELECT organization FROM tokens WHERE hash = ${hash})`, [hash]);

const selectMember = (column: SQL, hash: SQL, organization: SQL): SQL =>
  sql`(SELECT ${column} FROM members m WHERE m.organization = ${organization} AND m.user = ${selectUser(hash)})`;

const organizationIf = {
  any: sql`m.organization`,
  member: sql`CASE WHEN m.role IS NOT NULL THEN m.organization END`,
  guest: sql`CASE WHEN m.role IS NULL THEN m.organization END`,
};

/** Looks up an organization that the token's user belongs to: as a member with a role, as a guest, or as either. */
export const lookUpOrganization = (
  hash: string,
  id: OrganizationId,
  as: keyof typeof organizationIf,
): Lookup<OrganizationId> =>
  new Lookup(`organization of ${as}`, (hash: SQL, id: SQL) => selectMember(organizationIf[as], hash, id), [hash, id]);

/** Looks up the role of a token's user in an organization. */
export const lookUpRole = (hash: string, organization: OrganizationId): Lookup<Role | null> =>
  new Lookup('role', (hash: SQL, organization: SQL) => selectMember(sql`m.role`, hash, organization), [
    hash,
    organization,
  ]);

/** The form in which a path names a change request. */
export type ChangeRequestForm = 'none' | 'id' | 'number';

export interface SpacePath {
  space: SpaceId;
  changeRequest?: ChangeRequestId | undefined;
  revision?: RevisionId | undefined;
  /** Whether to look up review requests for the caller. */
  requests?: boolean;
}

export function toSpaceValues(target: SpacePath) {
  const { changeRequest = null, revision = null } = target;
  return [
    target.space,
    getChangeRequestForm(target) === 'number' ? Number(changeRequest) : changeRequest,
    revision,
  ] as const;
}

export function getChangeRequestForm({ changeRequest }: SpacePath): ChangeRequestForm {
  if (changeRequest === undefined) return 'none';
  return /^\d{1,15}$/.test(changeRequest) ? 'number' : 'id';
}

/**
 * Joins the actor's membership as `members m`, and the organization of this membership as `organizations o`.
 * `organization` is the SQL expression for the id of the organization.
 */
export const joinActingMember = (organization: SQL, actor: { id: UserId }): SQL => sql`
  CROSS JOIN members m ON m.organization = ${organization} AND m.user = ${actor.id}
  CROSS JOIN organizations o ON o.id = m.organization`;

/** The actor, as the member that `joinActingMember` joins. */
export const toActingMember = ({ organization }: { organization: OrganizationId | null }): RankedMember => ({
  user: sql`m.user`,
  role: sql`m.role`,
  active: isActive(sql`${organization}`),
});

/** Selects a value, or makes the query fail while an installation is being imported (see `completeCheck`). */
export const selectIfComplete = (value: SQL): SQL =>
  sql`CASE WHEN (${sql.raw(completeCheck)}) IS NULL THEN ${value} END`;

/**
 * The effective scopes of an installation: those that its organization agreed to and that its integration has requested
 * without interruption since then. A scope that was removed and requested again must be agreed to again. The arguments
 * are the names of both tables.
 */
export const selectGrantedScopes = (installation: SQL, integration: SQL): SQL =>
  sql`(SELECT json_group_array(agreed.value) FROM json_each(${installation}.scopes) agreed
    WHERE EXISTS (SELECT 1 FROM json_each(${integration}.scopes_since) since
      WHERE since.key = agreed.value AND since.value <= ${installation}.agreed_version))`;

/** `selectGrantedScopes` as a field of a selection. */
export const createGrantedScopesField = (installation: SQL, integration: SQL): Value<IntegrationScope[]> =>
  computed(fromJson<IntegrationScope[]>(), selectGrantedScopes(installation, integration));
