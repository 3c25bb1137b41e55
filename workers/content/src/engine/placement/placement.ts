import type { Check, Database, Statement } from '@octavo/db';
import { commitChecked } from '@octavo/db';
import type { ApiError, DefaultLevel, OrganizationId, Role } from '@octavo/schema';
import { conflict, forbidden, grantsAtMost, isAtLeast, notFound, roles, targetNotFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** Maximum nesting of collections. Effective roles are read through up to 64 levels. */
const maxCollectionDepth = 32;

/** The parent of siblings: a collection, or the top level of an organization. */
export interface Destination {
  organization: OrganizationId;
  parent: string | null;
}

/** An item that is put into a destination. */
interface Placement extends Destination {
  /** An SQL expression for the number of collection levels that the item adds; null if the item no longer exists. */
  levels: SQL;
  /** The id of a moved item. */
  movedId?: string;
  /** Additional checks for the commit. */
  checks?: Check[];
}

export const newSpaceLevels = sql`0`;
export const newCollectionLevels = sql`1`;

/** A space adds no level. */
export const countSpaceLevels = (organization: OrganizationId, id: string): SQL =>
  sql`(SELECT 0 FROM spaces WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL)`;

/** Returns an SQL expression for the number of levels of a collection, including the collections nested in it. */
export const countCollectionLevels = (organization: OrganizationId, id: string): SQL => sql`(
  WITH RECURSIVE below(id, level) AS (
    SELECT id, 1 FROM collections WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL
    UNION ALL
    SELECT c.id, level + 1 FROM below CROSS JOIN collections c INDEXED BY collections_of_parent
      ON c.parent = below.id AND c.deleted_at IS NULL WHERE level < 64
  )
  SELECT MAX(level) FROM below)`;

/**
 * A SELECT of one row: the number of levels down to the parent (null if the parent no longer exists), the number of
 * levels that are added, and whether the item would contain itself.
 */
function selectPlacementState({ organization, parent, levels, movedId }: Placement): SQL {
  if (parent === null) return sql`SELECT 0 AS above, ${levels} AS own, 0 AS circular`;
  return sql`
    WITH RECURSIVE chain(id, parent, level) AS (
      SELECT id, parent, 1 FROM collections WHERE id = ${parent} AND organization = ${organization} AND deleted_at IS NULL
      UNION ALL
      SELECT c.id, c.parent, level + 1 FROM chain CROSS JOIN collections c ON c.id = chain.parent WHERE level < 64
    )
    SELECT MAX(level) AS above, ${levels} AS own, MAX(id = ${movedId ?? ''}) AS circular FROM chain`;
}

/** Returns the checks for putting an item into a destination: the parent exists and the nesting is not too deep. */
export const createPlacementChecks = (arrival: Placement): Check[] => [
  {
    condition: sql`EXISTS (SELECT 1 FROM (${selectPlacementState(arrival)}) WHERE above IS NOT NULL AND own IS NOT NULL AND NOT circular
      AND above + own <= ${sql.raw(String(maxCollectionDepth))})`,
    failingValue: sql`(SELECT json_array(above, own, circular) || '' FROM (${selectPlacementState(arrival)}))`,
    createError: (state) => toPlacementError(arrival, JSON.parse(state ?? '[]') as PlacementState),
  },
  ...(arrival.checks ?? []),
];

/** Commits writes that put an item into a destination. @throws ApiError not_found or conflict */
export const commitPlacement = <Value>(
  db: Database,
  arrival: Placement,
  write: (guards: Statement[]) => Promise<Value>,
) => commitChecked(db, createPlacementChecks(arrival), write);

type PlacementState = [above: number | null, own: number | null, circular: 0 | 1];

function toPlacementError({ movedId }: Placement, [parentDepth, ownHeight, circular]: PlacementState): ApiError {
  if (ownHeight === null) return notFound(movedId?.startsWith('spc_') ? 'space' : 'collection');
  if (parentDepth === null) return targetNotFound('parent', 'collection');
  if (circular === 1) return conflict('A collection cannot be moved into itself or into a collection inside it.');
  return conflict(`Collections can be nested at most ${maxCollectionDepth} levels deep.`);
}

/** A space or collection with the role of the caller. */
export interface LeveledContent {
  table: 'spaces' | 'collections';
  id: string;
  /** The caller's role on it. */
  role: Role | null;
}

const createLevelError = (ownRole: Role | null, level: DefaultLevel) =>
  forbidden(`You have the role ${ownRole ?? 'none'} here and cannot set the default level ${level ?? 'none'}.`);

/**
 * Drops a default level equal to the current one, so that a client can send the whole object back without needing
 * rights for it.
 */
export function omitSameLevel<Body extends { defaultLevel?: DefaultLevel | undefined }>(
  body: Body,
  { defaultLevel: present }: { defaultLevel: DefaultLevel },
): Omit<Body, 'defaultLevel'> & { defaultLevel?: DefaultLevel } {
  const { defaultLevel, ...others } = body;
  return defaultLevel === undefined || defaultLevel === present ? others : { ...others, defaultLevel };
}

/**
 * Returns the checks for a new default level: callers cannot give more than their own role, neither directly nor by
 * letting the content inherit more.
 * @throws ApiError forbidden
 */
export function createLevelChecks(level: DefaultLevel | undefined, { table, id, role }: LeveledContent): Check[] {
  if (level === undefined) return [];
  if (!grantsAtMost(level, role)) throw createLevelError(role, level);
  if (level !== null) return [];
  return createInheritanceChecks(role, sql`SELECT 0, parent, NULL FROM ${sql.raw(table)} WHERE id = ${id}`);
}

/**
 * Returns the checks for a move to another parent: the content must not inherit a higher level there than the caller's
 * role.
 */
export const createMoveLevelChecks = ({ table, id, role }: LeveledContent, parent: string | null): Check[] =>
  createInheritanceChecks(
    role,
    sql`SELECT 0, CASE WHEN parent IS NOT ${parent} THEN ${parent} END, default_level FROM ${sql.raw(table)} WHERE id = ${id}`,
  );

/** `start` selects depth 0, the parent to inherit from, and the content's own level. */
function createInheritanceChecks(role: Role | null, start: SQL): Check[] {
  const higherRoles = roles.filter((each) => !isAtLeast(role, each));
  const [lowest] = higherRoles.slice(-1);
  if (lowest === undefined) return [];
  const inherited = sql`
    WITH RECURSIVE chain(depth, parent, level) AS (
      ${start}
      UNION ALL
      SELECT depth + 1, k.parent, k.default_level FROM chain CROSS JOIN collections k ON k.id = chain.parent
        WHERE chain.level IS NULL AND depth < 64
    )
    SELECT level FROM chain WHERE level IS NOT NULL AND depth > 0`;
  return [
    {
      condition: sql`NOT EXISTS (SELECT 1 FROM (${inherited}) WHERE level IN (SELECT value FROM json_each(${JSON.stringify(higherRoles)})))`,
      createError: () => createLevelError(role, lowest),
    },
  ];
}
