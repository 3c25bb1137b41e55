import type { Role, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

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
  /** Null for a guest. */
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
 * The rank that a space or collection itself defines for a member, or null if it inherits. The EXISTS avoids reading
 * the member's teams for content without direct grants, which is most content.
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

/** `selectEffectiveRank` on `spaces s`. */
export const selectSpaceRank = (member: RankedMember): SQL => selectEffectiveRank(getContentColumns('s'), member);

/** `selectEffectiveRank` on `collections c`. */
export const selectCollectionRank = (member: RankedMember): SQL => selectEffectiveRank(getContentColumns('c'), member);

/**
 * The ids of the content in an organization for which the member, or a team of the member, has a grant, and of hidden
 * content that the member created.
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
 * The collections with content whose default level gives a member a role. Needs one index search for each of the two
 * tables.
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
 * content that they can see. Its cost depends on the number of grants and default levels, not on the size of the
 * organization. It is not correlated with the rows of a list, so a list runs it only once.
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
 * The ids of the content that a guest can see: content with grants, its descendants and the collections above it. It is
 * a superset; the rank of each object still decides.
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

/** @param active False for a member who is disabled. */
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
