import { sql } from 'drizzle-orm';
import type { Row } from './row.ts';
import { number, optionalText, text } from './row.ts';

/** A team, and what the caller is in it. Times are milliseconds. */
export interface TeamRecord {
  id: string;
  title: string;
  createdAt: number;
  members: number;
  /** How many spaces were given to the team directly. */
  spaces: number;
  /** The caller's role in the team; null where the caller is not in it. */
  ownRole: 'owner' | 'member' | null;
}

/** Of `teams t` and the caller's `team_members mine`. */
export const teamColumns = sql.raw(
  [
    ...['id', 'title', 'created_at', 'members', 'spaces'].map((column) => `t.${column} AS team_${column}`),
    'mine.role AS team_own_role',
  ].join(', '),
);

export function readTeam(row: Row): TeamRecord | undefined {
  if (optionalText(row, 'team_id') === null) return undefined;
  return {
    id: text(row, 'team_id'),
    title: text(row, 'team_title'),
    createdAt: number(row, 'team_created_at'),
    members: number(row, 'team_members'),
    spaces: number(row, 'team_spaces'),
    ownRole: optionalText(row, 'team_own_role') as TeamRecord['ownRole'],
  };
}

/** Of a row that holds a team for certain. */
export function readKnownTeam(row: Row): TeamRecord {
  const team = readTeam(row);
  if (team === undefined) throw new TypeError('A row holds no team.');
  return team;
}
