import { colleague, ids } from '../acme.ts';
import type { OperationDocumentation, ResourceDocumentation } from '../documentation.ts';
import { team } from './teams.ts';

const grantsBody = {
  users: 'The ids of users who are members of the organization.',
  teams: 'The ids of teams of the organization.',
  role: 'The role to grant, at most the role that the caller has there. Null denies access.',
};

const grantBody = {
  role:
    'The new role, at most the role that the caller has there. Null denies access. If omitted, the grant ' +
    'is unchanged.',
};

/** The operations on the grants of a space or a collection, by kind of operation. */
const describeOperations = (kind: 'space' | 'collection') =>
  ({
    grant: {
      description:
        `Grants a role on the ${kind} to members and teams, or denies them access. A grant replaces the role that ` +
        'would be inherited, and any earlier grant of the same member or team. Either all grants are made or none. ' +
        'Returns 403 if a role, or an existing grant, is above the role of the caller.',
      body: grantsBody,
      example: { body: { users: [ids.colleague], teams: [ids.team], role: 'edit' } },
    },
    aggregate: {
      description:
        `Lists the members who have access to the ${kind}, with their effective role: from a direct grant, a team, ` +
        'the default level, a parent collection or the organization.',
      parameters: { role: 'Lists only members with this effective role.' },
    },
    users: {
      description: `Lists the members with a direct grant on the ${kind}, including those who are denied access.`,
    },
    changeUser: {
      description: `Changes the role of a member's direct grant on the ${kind}. Returns 404 if the member has none.`,
      parameters: { userId: 'The id of the member.' },
      body: grantBody,
      example: { body: { role: 'review' } },
    },
    removeUser: {
      description:
        `Removes a member's direct grant on the ${kind}, also one that denies access. The inherited role ` +
        'applies again.',
      parameters: { userId: 'The id of the member.' },
    },
    teams: {
      description: `Lists the teams with a direct grant on the ${kind}, including those that are denied access.`,
    },
    changeTeam: {
      description: `Changes the role of a team's direct grant on the ${kind}. Returns 404 if the team has none.`,
      body: grantBody,
      example: { body: { role: 'review' } },
    },
    removeTeam: {
      description:
        `Removes a team's direct grant on the ${kind}, also one that denies access. The inherited role ` +
        'applies again.',
    },
  }) satisfies Record<string, OperationDocumentation>;

const onSpace = describeOperations('space');
const onCollection = describeOperations('collection');

export const permissions: ResourceDocumentation = {
  operations: {
    inviteToSpace: onSpace.grant,
    listPermissionsAggregateInSpace: onSpace.aggregate,
    listUserPermissionsInSpace: onSpace.users,
    updateUserPermissionInSpace: onSpace.changeUser,
    removeUserFromSpace: onSpace.removeUser,
    listTeamPermissionsInSpace: onSpace.teams,
    updateTeamPermissionInSpace: onSpace.changeTeam,
    removeTeamFromSpace: onSpace.removeTeam,
    inviteToCollection: onCollection.grant,
    listPermissionsAggregateInCollection: onCollection.aggregate,
    listUserPermissionsInCollection: onCollection.users,
    updateUserPermissionInCollection: onCollection.changeUser,
    removeUserFromCollection: onCollection.removeUser,
    listTeamPermissionsInCollection: onCollection.teams,
    updateTeamPermissionInCollection: onCollection.changeTeam,
    removeTeamFromCollection: onCollection.removeTeam,
  },
  schemas: {
    UserPermission: {
      description: 'A member with the effective role on a space or collection.',
      properties: { permission: 'The effective role.', user: 'The member who has it.' },
      example: { permission: 'edit', user: colleague },
    },
    GivenToUser: {
      description: 'The direct grant of a member on a space or collection.',
      properties: { permission: 'The granted role. Null denies access.', user: 'The member who has it.' },
      example: { permission: 'edit', user: colleague },
    },
    GivenToTeam: {
      description: 'The direct grant of a team on a space or collection.',
      properties: { permission: 'The granted role. Null denies access.', team: 'The team that has it.' },
      example: { permission: 'edit', team },
    },
  },
};
