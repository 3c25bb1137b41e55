import { must, teamMembers } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { BodyOf, orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import type { Placement } from './team-membership.ts';
import { areMembers, findMembers, placeInTeam, requireMembers } from './team-membership.ts';
import { writeTeam } from './write-team.ts';

type Body = BodyOf<typeof orgAdmin.updateMembersInOrganizationTeam>;

export const updateMembersInOrganizationTeam: Handler<
  typeof orgAdmin.updateMembersInOrganizationTeam,
  OrgAdminEnvironment
> = async ({ body }, context) => {
  const { db, team, organization } = context;
  const named = namesByPlace(body);
  if (named.size === 0) return undefined;
  await writeTeam(context, { type: 'team.members_changed' }, async () => {
    const found = await findMembers(db, organization.id, [...new Set(named.values())]);
    requireMembers(found, named);
    const { placements, removed } = outcome(body, found);
    const users = placements.map(({ user }) => user);
    return [
      must(db, areMembers(organization.id, users)),
      ...placeInTeam(db, { team: team.id, organization: organization.id }, placements),
      db
        .delete(teamMembers)
        .where(sql`team = ${team.id} AND user IN (SELECT value FROM json_each(${JSON.stringify(removed)}))`),
    ];
  });
  return undefined;
};

const namesByPlace = ({ add = [], remove = [], memberships = {} }: Body): Map<string, string> =>
  new Map([
    ...add.map((name, index) => [`body.add.${index}`, name] as const),
    ...remove.map((name, index) => [`body.remove.${index}`, name] as const),
    ...Object.keys(memberships).map((user) => [`body.memberships.${user}`, user] as const),
  ]);

/** Whoever is to be removed is, whatever else the request says of them. */
function outcome({ add = [], remove = [], memberships = {} }: Body, found: Map<string, string>) {
  const usersOf = (names: string[]) => names.flatMap((name) => found.get(name) ?? []);
  const removed = new Set(usersOf(remove));
  const users = new Set([...usersOf(add), ...Object.keys(memberships)]);
  const placements: Placement[] = [...users]
    .filter((user) => !removed.has(user))
    .map((user) => ({ user, role: Object.hasOwn(memberships, user) ? memberships[user]?.role : undefined }));
  return { placements, removed: [...removed] };
}
