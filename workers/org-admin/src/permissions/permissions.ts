import { handler } from '../handler.ts';
import { changeRole, grantedCollection, grantedSpace, grantRole, revokeRole } from './grants.ts';
import { listReach, listTeamGrants, listUserGrants } from './queries.ts';

export const listPermissionsAggregateInSpace = handler('listPermissionsAggregateInSpace', ({ query }, context) =>
  listReach(grantedSpace(context), query, context),
);

export const listPermissionsAggregateInCollection = handler(
  'listPermissionsAggregateInCollection',
  ({ query }, context) => listReach(grantedCollection(context), query, context),
);

export const listUserPermissionsInSpace = handler('listUserPermissionsInSpace', ({ query }, context) =>
  listUserGrants(grantedSpace(context), query, context),
);

export const listUserPermissionsInCollection = handler('listUserPermissionsInCollection', ({ query }, context) =>
  listUserGrants(grantedCollection(context), query, context),
);

export const listTeamPermissionsInSpace = handler('listTeamPermissionsInSpace', ({ query }, context) =>
  listTeamGrants(grantedSpace(context), query, context),
);

export const listTeamPermissionsInCollection = handler('listTeamPermissionsInCollection', ({ query }, context) =>
  listTeamGrants(grantedCollection(context), query, context),
);

export const inviteToSpace = handler('inviteToSpace', ({ body }, context) =>
  grantRole(grantedSpace(context), body, context),
);

export const inviteToCollection = handler('inviteToCollection', ({ body }, context) =>
  grantRole(grantedCollection(context), body, context),
);

export const updateUserPermissionInSpace = handler('updateUserPermissionInSpace', ({ params, body }, context) =>
  changeRole(grantedSpace(context), { subject: { kind: 'user', id: params.userId }, role: body.role }, context),
);

export const updateUserPermissionInCollection = handler(
  'updateUserPermissionInCollection',
  ({ params, body }, context) =>
    changeRole(grantedCollection(context), { subject: { kind: 'user', id: params.userId }, role: body.role }, context),
);

export const updateTeamPermissionInSpace = handler('updateTeamPermissionInSpace', ({ params, body }, context) =>
  changeRole(grantedSpace(context), { subject: { kind: 'team', id: params.teamId }, role: body.role }, context),
);

export const updateTeamPermissionInCollection = handler(
  'updateTeamPermissionInCollection',
  ({ params, body }, context) =>
    changeRole(grantedCollection(context), { subject: { kind: 'team', id: params.teamId }, role: body.role }, context),
);

export const removeUserFromSpace = handler('removeUserFromSpace', ({ params }, context) =>
  revokeRole(grantedSpace(context), { kind: 'user', id: params.userId }, context),
);

export const removeUserFromCollection = handler('removeUserFromCollection', ({ params }, context) =>
  revokeRole(grantedCollection(context), { kind: 'user', id: params.userId }, context),
);

export const removeTeamFromSpace = handler('removeTeamFromSpace', ({ params }, context) =>
  revokeRole(grantedSpace(context), { kind: 'team', id: params.teamId }, context),
);

export const removeTeamFromCollection = handler('removeTeamFromCollection', ({ params }, context) =>
  revokeRole(grantedCollection(context), { kind: 'team', id: params.teamId }, context),
);
