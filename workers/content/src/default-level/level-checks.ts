import type { Check } from '@octavo/db';
import type { DefaultLevel, Role } from '@octavo/schema';
import { forbidden, givesAtMost, isAtLeast, roles } from '@octavo/schema';
import { sql } from 'drizzle-orm';

/** Content as the caller found it. */
interface LeveledContent {
  table: 'spaces' | 'collections';
  id: string;
  defaultLevel: DefaultLevel;
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
  const above = roles.filter((each) => !isAtLeast(role, each));
  const [lowest] = above.slice(-1);
  if (wanted !== null || lowest === undefined) return [];
  const inherited = sql`
    WITH RECURSIVE chain(depth, parent, level) AS (
      SELECT 0, parent, NULL FROM ${sql.raw(table)} WHERE id = ${id}
      UNION ALL
      SELECT depth + 1, k.parent, k.default_level FROM chain CROSS JOIN collections k ON k.id = chain.parent
        WHERE chain.level IS NULL AND depth < 64
    )
    SELECT level FROM chain WHERE level IS NOT NULL`;
  return [
    {
      holds: sql`NOT EXISTS (SELECT 1 FROM (${inherited}) WHERE level IN (SELECT value FROM json_each(${JSON.stringify(above)})))`,
      otherwise: () => tooHigh(role, lowest),
    },
  ];
}
