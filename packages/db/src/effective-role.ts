import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** The rank of a role column: 6 (`admin`) to 1 (`read`), 0 for a stated "no access", null where there is none. */
const rankOf = (role: SQL): SQL =>
  sql`CASE ${role} WHEN 'admin' THEN 6 WHEN 'create' THEN 5 WHEN 'review' THEN 4 WHEN 'edit' THEN 3 WHEN 'comment' THEN 2 WHEN 'read' THEN 1 WHEN 'none' THEN 0 END`;

interface Content {
  id: SQL;
  organization: SQL;
  parent: SQL;
  defaultLevel: SQL;
  createdBy: SQL;
}

interface RankedMember {
  user: SQL;
  /** Null for a guest. */
  role: SQL;
  /** True for an active member. */
  active: SQL;
}

/**
 * The effective role of a member on a space or collection, as a rank: the one definition that authorization and every
 * filtered list share (permissions.md, section 2). Reads the chain of parent collections, and at each level the grants
 * of the user and of the user's teams; the nearest level that decides wins.
 */
export const effectiveRank = (content: Content, member: RankedMember): SQL => sql`CASE
  WHEN NOT COALESCE(${member.active}, 0) THEN NULL
  WHEN ${member.role} = 'admin' THEN 6
  ELSE (
    WITH RECURSIVE chain(depth, id, parent, level, creator) AS (
      SELECT 0, ${content.id}, ${content.parent}, ${content.defaultLevel}, ${content.createdBy}
      UNION ALL
      SELECT depth + 1, c.id, c.parent, c.default_level, c.created_by
      FROM chain CROSS JOIN collections c ON c.id = chain.parent AND c.organization = ${content.organization} WHERE depth < 64
    ), decisions(depth, rank) AS (
      SELECT depth, COALESCE(
        (SELECT COALESCE(${rankOf(sql`g.role`)}, 0) FROM grants g WHERE g.object = chain.id AND g.subject = ${member.user} AND g.organization = ${content.organization}),
        (SELECT MAX(COALESCE(${rankOf(sql`g.role`)}, 0)) FROM team_members tm CROSS JOIN grants g
          ON g.object = chain.id AND g.subject = tm.team AND g.organization = tm.organization
          WHERE tm.user = ${member.user} AND tm.organization = ${content.organization}),
        CASE
          WHEN level = 'none' THEN CASE WHEN creator = ${member.user} THEN 5 ELSE 0 END
          WHEN level IS NOT NULL AND ${member.role} IS NOT NULL THEN ${rankOf(sql`level`)}
        END)
      FROM chain
    )
    SELECT COALESCE((SELECT rank FROM decisions WHERE rank IS NOT NULL ORDER BY depth LIMIT 1), ${rankOf(member.role)})
  ) END`;

/** `effectiveRank` on `spaces s`. */
export const spaceRank = (member: RankedMember): SQL =>
  effectiveRank(
    {
      id: sql`s.id`,
      organization: sql`s.organization`,
      parent: sql`s.parent`,
      defaultLevel: sql`s.default_level`,
      createdBy: sql`s.created_by`,
    },
    member,
  );
