import type { Check } from '@octavo/db';
import type { DefaultLevel, Role } from '@octavo/schema';
import { forbidden, givesAtMost, isAtLeast, roles } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** Content as the caller found it. */
export interface LeveledContent {
  table: 'spaces' | 'collections';
  id: string;
  /** What the caller holds on it. */
  role: Role | null;
}

const tooHigh = (held: Role | null, level: DefaultLevel) =>
  forbidden(`The caller holds ${held ?? 'nothing'} here and cannot give ${level ?? 'nothing'} by default.`);

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
      holds: sql`NOT EXISTS (SELECT 1 FROM (${inherited}) WHERE level IN (SELECT value FROM json_each(${JSON.stringify(above)})))`,
      otherwise: () => tooHigh(role, lowest),
    },
  ];
}
