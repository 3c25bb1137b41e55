import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

export const team = {
  object: 'team',
  id: ids.team,
  title: 'Writers',
  members: 4,
  spaces: 2,
  createdAt: '2026-01-20T11:00:00.000Z',
  permissions: { admin: true, view: true },
} as const;

export const teams: ResourceDocumentation = {
  operations: {
    listTeamsInOrganizationById: {
      description:
        'Lists the teams of the organization, newest first. With `owner`, the order is by the time the owner ' +
        'joined, unless the owner is an admin.',
      parameters: {
        owner:
          'The id of a member. Lists only teams that this member can manage: all teams for an admin, otherwise ' +
          'those that the member owns.',
        title:
          'Lists only teams whose title contains this text. Case is ignored. A page searches at most 5,000 rows, so ' +
          'it can be short or empty although there is a `next`.',
      },
    },
    createOrganizationTeam: {
      description: 'Creates a team. All of its first members get the role `member`. Requires an admin.',
      body: {
        title: 'The name of the team.',
        members: 'The user ids of the first members, who must be members of the organization. Duplicates are ignored.',
      },
      example: { body: { title: 'Writers', members: [ids.user, ids.colleague] } },
    },
    getTeamInOrganizationById: {
      description: 'Returns a team. Guests can read only teams that they belong to.',
    },
    updateTeamInOrganizationById: {
      description: 'Changes the title of a team. Requires an admin; owners can change only the members.',
      body: { title: 'The new name of the team.' },
      example: { body: { title: 'Technical writers' } },
    },
    removeTeamFromOrganizationById: {
      description: 'Deletes a team with its memberships and its grants on spaces and collections. Requires an admin.',
    },
    listTeamMembersInOrganizationById: {
      description:
        'Lists the members of a team, the most recently added first. Guests do not see the e-mail addresses of others.',
    },
    updateMembersInOrganizationTeam: {
      description:
        'Adds and removes members of a team and sets their roles, all or nothing. A user who is in both `add` and ' +
        '`remove` is removed. Requires an admin, or an owner of the team.',
      body: {
        add:
          'User ids or e-mail addresses of members to add. Members of the team keep their role there; new ones ' +
          'become `member`.',
        remove: 'User ids or e-mail addresses of members to remove.',
        memberships: 'Roles in the team by user id. Users who are not in the team are added.',
      },
      example: { body: { add: ['ben@acme.example'], memberships: { [ids.user]: { role: 'owner' } } } },
    },
    addMemberToOrganizationTeamById: {
      description:
        'Adds a member to a team, or changes the role of a member there. Requires an admin, or an owner of the team.',
      parameters: { userId: 'The id of the member.' },
      body: {
        role: 'The role in the team. If omitted, a new member becomes `member` and an existing one keeps the role.',
      },
      example: { body: { role: 'owner' } },
    },
    deleteMemberFromOrganizationTeamById: {
      description:
        'Removes a member from a team. Returns 404 if the user is not in the team. Requires an admin, or an owner ' +
        'of the team.',
      parameters: { userId: 'The id of the member.' },
    },
  },
  schemas: {
    Team: {
      description: 'A group of members that roles on spaces and collections can be granted to.',
      properties: {
        title: 'The name of the team.',
        members: 'The number of members.',
        spaces:
          'The number of spaces on which the team has a direct grant, including deleted ones that can be restored.',
        permissions: 'The rights of the caller on the team.',
      },
      example: team,
    },
    TeamPermissions: {
      description: 'The rights of the caller on a team.',
      properties: {
        admin:
          'Whether the caller may change the members of the team. Only admins of the organization may rename ' +
          'or delete it.',
        view: 'Whether the caller may see the team and its members.',
      },
      example: team.permissions,
    },
    TeamRole: {
      description: 'The role of a member in a team. An `owner` may change the members of the team.',
      example: 'member',
    },
    TeamMembership: {
      description: 'The membership of a user in a team.',
      properties: { role: 'The role in the team.' },
      example: { role: 'member' },
    },
  },
};
