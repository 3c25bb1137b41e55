import type { Check, Database, Statement } from '@octavo/db';
import { commitChecked } from '@octavo/db';
import type { ApiError, DefaultLevel, OrganizationId, Role } from '@octavo/schema';
import { conflict, forbidden, givesAtMost, isAtLeast, namesNothing, notFound, roles } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** How deep collections nest. The effective role reads up to 64 levels. */
const maxCollectionDepth = 32;

/** Where siblings stand: in a collection, or at the top level of an organization. */
export interface Destination {
  organization: OrganizationId;
  parent: string | null;
}

/** Something that comes into a destination. */
interface Arrival extends Destination {
  /** How many levels of collections it brings along; null once it is gone itself. */
  levels: SQL;
  /** The id of what is moved there. */
  moving?: string;
  /** What else must hold while it arrives. */
  checks?: Check[];
}

export const levelsOfNewSpace = sql`0`;
export const levelsOfNewCollection = sql`1`;

/** A space brings no level along. */
export const levelsOfSpace = (organization: OrganizationId, id: string): SQL =>
  sql`(SELECT 0 FROM spaces WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL)`;

/** The levels of a collection and those nested in it. */
export const levelsOfCollection = (organization: OrganizationId, id: string): SQL => sql`(
  WITH RECURSIVE below(id, level) AS (
    SELECT id, 1 FROM collections WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL
    UNION ALL
    SELECT c.id, level + 1 FROM below CROSS JOIN collections c INDEXED BY collections_of_parent
      ON c.parent = below.id AND c.deleted_at IS NULL WHERE level < 64
  )
  SELECT MAX(level) FROM below)`;

/** One row: the levels down to the parent (null once that is gone), those that arrive, and whether it goes into itself. */
function stateOf({ organization, parent, levels, moving }: Arrival): SQL {
  if (parent === null) return sql`SELECT 0 AS above, ${levels} AS own, 0 AS circular`;
  return sql`
    WITH RECURSIVE chain(id, parent, level) AS (
      SELECT id, parent, 1 FROM collections WHERE id = ${parent} AND organization = ${organization} AND deleted_at IS NULL
      UNION ALL
      SELECT c.id, c.parent, level + 1 FROM chain CROSS JOIN collections c ON c.id = chain.parent WHERE level < 64
    )
    SELECT MAX(level) AS above, ${levels} AS own, MAX(id = ${moving ?? ''}) AS circular FROM chain`;
}

/** What holds while something comes into a destination: the parent is there, and the levels are not too many. */
export const arrivalChecks = (arrival: Arrival): Check[] => [
  {
    condition: sql`EXISTS (SELECT 1 FROM (${stateOf(arrival)}) WHERE above IS NOT NULL AND own IS NOT NULL AND NOT circular
      AND above + own <= ${sql.raw(String(maxCollectionDepth))})`,
    culprit: sql`(SELECT json_array(above, own, circular) || '' FROM (${stateOf(arrival)}))`,
    createError: (state) => refusalOf(arrival, JSON.parse(state ?? '[]') as State),
  },
  ...(arrival.checks ?? []),
];

/** Writes something into a destination. @throws ApiError not_found or conflict */
export const arrive = <Value>(db: Database, arrival: Arrival, write: (guards: Statement[]) => Promise<Value>) =>
  commitChecked(db, arrivalChecks(arrival), write);

type State = [above: number | null, own: number | null, circular: 0 | 1];

function refusalOf({ moving }: Arrival, [above, own, circular]: State): ApiError {
  if (own === null) return notFound(moving?.startsWith('spc_') ? 'space' : 'collection');
  if (above === null) return namesNothing('parent', 'collection');
  if (circular === 1) return conflict('A collection cannot be moved into itself or into a collection inside it.');
  return conflict(`Collections can be nested at most ${maxCollectionDepth} levels deep.`);
}

/** Content as the caller found it. */
export interface LeveledContent {
  table: 'spaces' | 'collections';
  id: string;
  /** What the caller holds on it. */
  role: Role | null;
}

const tooHigh = (held: Role | null, level: DefaultLevel) =>
  forbidden(`You have the role ${held ?? 'none'} here and cannot set the default level ${level ?? 'none'}.`);

/** A change without the level that the content has already: whoever sends the whole object back gives nothing. */
export function withoutSameLevel<Body extends { defaultLevel?: DefaultLevel | undefined }>(
  body: Body,
  { defaultLevel: present }: { defaultLevel: DefaultLevel },
): Omit<Body, 'defaultLevel'> & { defaultLevel?: DefaultLevel } {
  const { defaultLevel, ...others } = body;
  return defaultLevel === undefined || defaultLevel === present ? others : { ...others, defaultLevel };
}

/**
 * What must hold while content gets another default level: nobody opens it wider than they hold it themselves, neither
 * by the level nor by letting it inherit one.
 * @throws ApiError forbidden
 */
export function levelChecks(wanted: DefaultLevel | undefined, { table, id, role }: LeveledContent): Check[] {
  if (wanted === undefined) return [];
  if (!givesAtMost(wanted, role)) throw tooHigh(role, wanted);
  if (wanted !== null) return [];
  return inheritsAtMost(role, sql`SELECT 0, parent, NULL FROM ${sql.raw(table)} WHERE id = ${id}`);
}

/** What must hold while content goes into another parent: it does not come to inherit more there than the caller holds. */
export const levelChecksOfMove = ({ table, id, role }: LeveledContent, parent: string | null): Check[] =>
  inheritsAtMost(
    role,
    sql`SELECT 0, CASE WHEN parent IS NOT ${parent} THEN ${parent} END, default_level FROM ${sql.raw(table)} WHERE id = ${id}`,
  );

/** `start` selects the depth 0, the parent that is inherited from, and the level of the content itself. */
function inheritsAtMost(role: Role | null, start: SQL): Check[] {
  const above = roles.filter((each) => !isAtLeast(role, each));
  const [lowest] = above.slice(-1);
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
      condition: sql`NOT EXISTS (SELECT 1 FROM (${inherited}) WHERE level IN (SELECT value FROM json_each(${JSON.stringify(above)})))`,
      createError: () => tooHigh(role, lowest),
    },
  ];
}
