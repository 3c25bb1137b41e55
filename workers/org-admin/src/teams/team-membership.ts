import type { Database, Statement } from '@octavo/db';
import { given, isNamed, members, readRows, selection } from '@octavo/db';
import type { Issue, OrganizationId, TeamId, TeamRole, UserId } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** A user to be in a team; without a role one who is in it already keeps the role there, and a new one is a member. */
export interface Placement {
  user: UserId;
  role?: TeamRole | undefined;
}

interface TeamOfOrganization {
  team: TeamId;
  organization: OrganizationId;
}

/** Whether all of the users are members of the organization. */
export const areMembers = (organization: OrganizationId, users: string[]): SQL => sql`NOT EXISTS (
  SELECT 1 FROM json_each(${JSON.stringify(users)}) u
  WHERE NOT EXISTS (SELECT 1 FROM members m WHERE m.organization = ${organization} AND m.user = u.value AND ${isNamed(sql`m.user`)}))`;

/** Puts users into a team, in a batch that holds that they are members of the organization. */
export function placeInTeam(
  db: Database,
  { team, organization }: TeamOfOrganization,
  placements: Placement[],
): Statement[] {
  const given = JSON.stringify(placements);
  const insert = sql`INSERT INTO team_members (team, user, organization, role, joined_at)
    SELECT ${team}, p.value->>'user', ${organization}, COALESCE(p.value->>'role', 'member'), ${Date.now()}
    FROM json_each(${given}) p`;
  return [
    db.run(sql`${insert} WHERE p.value->>'role' IS NULL ON CONFLICT (team, user) DO NOTHING`),
    db.run(
      sql`${insert} WHERE p.value->>'role' IS NOT NULL ON CONFLICT (team, user) DO UPDATE SET role = excluded.role`,
    ),
  ];
}

const foundRow = selection({ name: given(String), user: given(members.user) });

/** The ids of members, by the ids and e-mail addresses that name them. Others are left out, whether users or not. */
export async function findMembers(
  db: Database,
  organization: OrganizationId,
  names: string[],
): Promise<Map<string, string>> {
  const emails = names.filter((name) => name.includes('@'));
  const ids = names.filter((name) => !name.includes('@'));
  const found = foundRow.query(sql`
    SELECT n.value AS name, m.user AS user FROM json_each(${JSON.stringify(ids)}) n
    CROSS JOIN members m ON m.organization = ${organization} AND m.user = n.value AND ${isNamed(sql`m.user`)}
    UNION ALL
    SELECT n.value, m.user FROM json_each(${JSON.stringify(emails)}) n
    CROSS JOIN users u ON u.email = n.value CROSS JOIN members m ON m.organization = ${organization} AND m.user = u.id
      AND ${isNamed(sql`m.user`)}`);
  return new Map((await readRows(db, found)).map(({ name, user }) => [name, user]));
}

/** 400 that names the place of each who is not a member. `named` holds ids or addresses by their places in the input. */
export function requireMembers(found: Map<string, string>, named: Map<string, string>): void {
  const unknown: Issue[] = [...named]
    .filter(([, name]) => !found.has(name))
    .map(([path]) => ({ path, message: 'is no member of the organization' }));
  if (unknown.length > 0) throw invalid(unknown);
}
