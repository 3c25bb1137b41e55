import type { CallerRecord, Check, Database, Lineage, SpaceRecord, Statement } from '@octavo/db';
import {
  abortUnless,
  createPositionAtStart,
  fromQuery,
  getOnlyRow,
  isAfterCursor,
  joinActingMember,
  listSource,
  prepareStatement,
  readRows,
  revisions,
  scanFields,
  scanRows,
  selectBranchLineage,
  selectCollectionRank,
  selection,
  selectSpaceRank,
  spaceJoins,
  spaces,
  spaceWithRoleRow,
  toActingMember,
} from '@octavo/db';
import type { DefaultLevel, NewEvent, OrganizationId, Role, Space, SpaceId, UserId } from '@octavo/schema';
import { forbidden, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { Destination } from '../../engine/placement/placement.ts';
import { writeRevision } from '../../engine/store/revisions.ts';

/** Checks that the space is not in the trash and has not been moved. */
export const createExistenceCheck = ({ id, organization, parent }: SpaceRecord): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM spaces
    WHERE id = ${id} AND organization = ${organization} AND parent IS ${parent} AND deleted_at IS NULL)`,
  createError: () => notFound('space'),
});

/** The rank of the role `create`. */
const leastRank = sql.raw('5');

/**
 * Checks that the actor may create content in a destination: `create` on the collection, or `createContent` on the
 * organization.
 */
export function createContentCheck({ organization, parent }: Destination, actor: CallerRecord): Check {
  const member = toActingMember(actor);
  const join = joinActingMember(sql`${organization}`, actor);
  return {
    condition:
      parent === null
        ? sql`EXISTS (SELECT 1 FROM (SELECT 1) ${join} WHERE ${member.active} AND m.role IN ('admin', 'create'))`
        : sql`EXISTS (SELECT 1 FROM collections c ${join}
            WHERE c.id = ${parent} AND c.organization = ${organization} AND ${selectCollectionRank(member)} >= ${leastRank})`,
    createError: () =>
      forbidden(
        `You are not allowed to do this. It requires the right ${parent === null ? 'createContent on the organization' : 'create on the collection of the space'}.`,
      ),
  };
}

/** The access settings of a space or collection in the chain from the space upwards. */
type AccessLink = [id: string, level: DefaultLevel, hasGrants: 0 | 1, isDeleted: 0 | 1];

interface RestoreTarget {
  /** Whether the space is restored in another parent than its former one. */
  isMoved: boolean;
  parent: string | null;
  level: DefaultLevel;
  /**
   * Whether the space must be hidden, because no default level can express the restrictions of the deleted collections.
   */
  mustHide: boolean;
  /** Whether only guests lose access. */
  needsGuestGrant: boolean;
  /** The SQL condition that the collections above have not changed. */
  unchanged: SQL;
}

const chainRow = selection({ chain: fromQuery(String) });

/**
 * Finds the parent in which a deleted space is restored, and a default level that gives no user more access than the
 * deleted collections did. The collections no longer apply in the new parent.
 */
export async function findRestoreTarget(db: Database, space: SpaceRecord): Promise<RestoreTarget> {
  const chain = selectChain(space);
  const { chain: chainJson } = getOnlyRow(
    await readRows(db, chainRow.query(sql`SELECT ${chainRow.with({ chain: sql`(${chain})` })}`)),
  );
  const [ownLink, ...ancestors] = JSON.parse(chainJson) as [AccessLink, ...AccessLink[]];
  const firstLive = ancestors.findIndex(([, , , isDeleted]) => isDeleted === 0);
  const deletedAncestors = firstLive === -1 ? ancestors : ancestors.slice(0, firstLive);
  const live = firstLive === -1 ? [] : ancestors.slice(firstLive);
  const level = getRestoredLevel(ownLink, deletedAncestors, live);
  const mustHide = level === 'none' && ownLink[1] !== 'none';
  return {
    isMoved: deletedAncestors.length > 0,
    parent: live[0]?.[0] ?? null,
    level,
    mustHide,
    needsGuestGrant: !mustHide && ownLink[1] !== 'none' && deletedAncestors.some(restrictsAccess),
    unchanged: sql`(${chain}) = ${chainJson}`,
  };
}

const restrictsAccess = ([, level, hasGrants]: AccessLink): boolean => hasGrants === 1 || level === 'none';

/**
 * Returns the level that replaces the settings of deleted collections. A default level applies to all members alike,
 * and not to guests. If the collections were hidden or had grants, no level can express the same restrictions: the
 * space is then hidden, unless only guests would notice the difference and no guest has a role on a collection further
 * up.
 */
function getRestoredLevel([, ownLevel]: AccessLink, deletedAncestors: AccessLink[], live: AccessLink[]): DefaultLevel {
  if (ownLevel === 'none') return ownLevel;
  if (!deletedAncestors.some(restrictsAccess))
    return ownLevel ?? deletedAncestors.find(([, level]) => level !== null)?.[1] ?? null;
  const first = deletedAncestors.find((link) => link[1] !== null || restrictsAccess(link));
  const forMembers = ownLevel ?? (first === undefined || restrictsAccess(first) ? null : first[1]);
  return forMembers === null || live.some(restrictsAccess) ? 'none' : forMembers;
}

/** Returns an SQL expression for the chain of links, as JSON. */
const selectChain = ({ id, organization }: SpaceRecord): SQL => sql`
  WITH RECURSIVE chain(depth, id, parent, level, deleted) AS (
    SELECT 0, id, parent, default_level, deleted_at IS NOT NULL FROM spaces WHERE id = ${id} AND organization = ${organization}
    UNION ALL
    SELECT depth + 1, k.id, k.parent, k.default_level, k.deleted_at IS NOT NULL
    FROM chain CROSS JOIN collections k ON k.id = chain.parent AND k.organization = ${organization} WHERE depth < 64
  )
  SELECT json_group_array(json_array(id, level, EXISTS (SELECT 1 FROM grants g WHERE g.object = chain.id), deleted) ORDER BY depth)
  FROM chain`;

interface NewSpace {
  id: SpaceId;
  organization: OrganizationId;
  parent: string | null;
  title: string;
  emoji: string;
  editMode: NonNullable<Space['editMode']>;
  createdBy: UserId;
}

/**
 * Creates the row of a new space, and the statements that write it. The space has one empty revision, so that its head
 * always exists.
 */
export function createSpaceRow(db: Database, space: NewSpace) {
  const { id, organization, createdBy } = space;
  const now = Date.now();
  const row = {
    ...space,
    visibility: 'private' as const,
    defaultLevel: null,
    createdAt: now,
    updatedAt: now,
    position: createPositionAtStart(now),
    deletedAt: null,
    mergeRules: null,
    gitSync: null,
  };
  const lineage: [string, number][] = [[id, 1]];
  const revisionKeys = { space: id, organization, branch: id, seq: 1, type: 'edits' } as const;
  const revisionFields = { parents: [], lineage, author: createdBy, createdAt: now, writes: [] };
  const revision = writeRevision(db, { ...revisionKeys, ...revisionFields });
  const created: NewEvent = { type: 'space.created', organization, space: id, data: {} };
  return {
    row,
    head: { id: revision.id, branch: id, seq: 1, lineage },
    statements: [db.insert(spaces).values(row), ...revision.statements],
    events: [created, ...revision.events],
  };
}

const listedRow = selection({ ...spaceWithRoleRow.fields, ...scanFields });
const { space: listedSpace, role: listedRole } = listedRow.names;

type CursorPart = string | number | null;

/** Prepares the list of an organization's spaces for members or guests, from the start or after a cursor. */
const createListStatement = (isGuest: boolean, hasCursor: boolean) =>
  prepareStatement(
    (
      organization: SQL<OrganizationId>,
      user: SQL<UserId>,
      role: SQL<Role | null>,
      limit: SQL<number>,
      time: SQL<CursorPart>,
      id: SQL<CursorPart>,
    ) => {
      const member = { user, role, active: sql`1`, isGuest };
      return listedRow.query(
        scanRows({
          columns: listedRow.with({ role: selectSpaceRank(member) }),
          from: sql`FROM ${listSource('spaces', organization, member)} ${spaceJoins}
            WHERE s.organization = ${organization}
              AND ${isAfterCursor(hasCursor ? [time, id] : undefined, sql`s.created_at`, sql`s.id`)}`,
          order: sql`s.created_at DESC, s.id DESC`,
          matches: sql`${listedRole} > 0 AND ${listedSpace.deletedAt} IS NULL`,
          limit,
        }),
      );
    },
  );

export const memberList = { first: createListStatement(false, false), next: createListStatement(false, true) };

export const guestList = { first: createListStatement(true, false), next: createListStatement(true, true) };

interface Copy {
  id: string;
  source: string;
  sourceLineage: Lineage;
  actor: string;
}

export function copySpaceRow(db: Database, { id, source, sourceLineage, actor }: Copy): Statement[] {
  const now = Date.now();
  const lineage = JSON.stringify(sourceLineage);
  return [
    abortUnless(db, sql`NOT EXISTS (SELECT 1 FROM json_each(${lineage}) WHERE NOT ${isLineageSource(source)})`),
    db.run(sql`
      INSERT INTO spaces (id, organization, parent, title, emoji, edit_mode, merge_rules, default_level, created_by, created_at, updated_at, position)
      SELECT ${id}, organization, parent, title, emoji, edit_mode, merge_rules,
        CASE WHEN EXISTS (SELECT 1 FROM grants g WHERE g.object = spaces.id) THEN 'none' ELSE default_level END,
        ${actor}, ${now}, ${now}, ${createPositionAtStart(now)}
      FROM spaces WHERE id = ${source}`),
    db.run(
      sql`INSERT INTO lineage_sources (source, space, seq) SELECT value->>0, ${id}, value->>1 FROM json_each(${lineage})`,
    ),
  ];
}

/**
 * Returns the SQL condition that purges do not delete the branch of this entry of the space's lineage: it is the
 * space's own branch, or `lineage_sources` protects it for the space.
 */
const isLineageSource = (space: SpaceId): SQL => sql`(value->>0 = ${space} OR EXISTS (
  SELECT 1 FROM lineage_sources l WHERE l.source = value->>0 AND l.space = ${space} AND l.seq = value->>1))`;

const heldRow = selection({ lineage: fromQuery(revisions.lineage) });

/**
 * Reads the lineage of the space's head without the branches that flattening has released. Their content is on the
 * space's own branch, even if a late writer named them again.
 */
export async function findSourceLineage(db: Database, space: SpaceId): Promise<Lineage> {
  const readHeldLineage =
    heldRow.query(sql`SELECT json_group_array(json(value) ORDER BY key) AS ${heldRow.names.lineage}
    FROM json_each(${selectBranchLineage(space)}) WHERE ${isLineageSource(space)}`);
  return getOnlyRow(await readRows(db, readHeldLineage)).lineage;
}

const r = aliasedTable(revisions, 'r');

const revisionRow = selection({ id: r.id });

/** Finds the first revision of a space that has no other. */
export const findFirstRevision = (space: SpaceId) =>
  revisionRow.query(sql`SELECT ${revisionRow} FROM revisions r WHERE r.branch = ${space} AND r.seq = 1
    AND NOT EXISTS (SELECT 1 FROM revisions x WHERE x.branch = ${space} AND x.seq > 1)`);
