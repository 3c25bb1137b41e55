import type { Check } from '@octavo/db';
import { isNamed, spaceRank } from '@octavo/db';
import type { SpaceId } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import { sql } from 'drizzle-orm';

export interface Asked {
  users: string[];
  teams: string[];
}

const member = { user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` };

const faults: Record<string, string> = {
  users: 'is no active member of the organization who may open the space',
  teams: 'is no team of the organization',
};

/** That all who are asked can review in the space: its organization's active members who may open it, and its teams. */
export function reviewersFit(space: SpaceId, { users, teams }: Asked): Check {
  const unfit = sql`
    SELECT 'users.' || key AS path FROM json_each(${JSON.stringify(users)}) WHERE NOT EXISTS (
      SELECT 1 FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND m.user = value AND ${isNamed(sql`m.user`)}
      WHERE s.id = ${space} AND ${spaceRank(member)} > 0)
    UNION ALL SELECT 'teams.' || key FROM json_each(${JSON.stringify(teams)}) WHERE NOT EXISTS (
      SELECT 1 FROM spaces s CROSS JOIN teams t ON t.id = value AND t.organization = s.organization WHERE s.id = ${space})`;
  return {
    holds: sql`NOT EXISTS (${unfit})`,
    culprit: sql`(SELECT group_concat(path, ' ') FROM (${unfit}))`,
    otherwise: (paths) =>
      invalid(
        (paths ?? '')
          .split(' ')
          .map((path) => ({ path: `body.${path}`, message: faults[path.split('.')[0] ?? ''] ?? '' })),
      ),
  };
}
