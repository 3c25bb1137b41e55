import { must, retryOnConflict, teams } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentTeam } from './present-team.ts';
import { areMembers, findMembers, placeInTeam, requireMembers } from './team-membership.ts';

export const createOrganizationTeam: Handler<typeof orgAdmin.createOrganizationTeam, OrgAdminEnvironment> = async (
  { body },
  { db, organization, membership, actor, commit },
) => {
  const row = { id: newId('team'), organization: organization.id, title: body.title, createdAt: Date.now() };
  const users = [...new Set(body.members)];
  const places = new Map(body.members.map((user, index) => [`body.members.${index}`, user]));
  await retryOnConflict(async () => {
    if (users.length > 0) requireMembers(await findMembers(db, organization.id, users), places);
    const placed = placeInTeam(
      db,
      { team: row.id, organization: organization.id },
      users.map((user) => ({ user })),
    );
    const event = { type: 'team.created', organization: organization.id, data: { team: row.id } } as const;
    await commit([must(db, areMembers(organization.id, users)), db.insert(teams).values(row), ...placed], [event]);
  });
  const ownRole = users.includes(actor.id) ? 'member' : null;
  return presentTeam({ ...row, members: users.length, spaces: 0, ownRole }, membership);
};
