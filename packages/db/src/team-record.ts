import { aliasedTable } from 'drizzle-orm';
import type { RecordOf } from './fields.ts';
import { maybe } from './fields.ts';
import { teamMembers, teams } from './org-admin.ts';
import { selection } from './selection.ts';

const [t, mine] = [aliasedTable(teams, 't'), aliasedTable(teamMembers, 'mine')];

/** A team, and what the caller is in it, if anything. Of `teams t` and the caller's `team_members mine`. */
export const teamRow = selection({
  id: t.id,
  title: t.title,
  createdAt: t.createdAt,
  members: t.members,
  spaces: t.spaces,
  ownRole: maybe(mine.role),
});

export type TeamRecord = RecordOf<typeof teamRow>;
