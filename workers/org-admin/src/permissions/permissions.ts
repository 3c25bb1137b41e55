import { handler } from '../handler.ts';
import { changeRole, grantRole, revokeRole, toGrantedCollection, toGrantedSpace } from './grants.ts';
import { listAccessiblePeople, listTeamGrants, listUserGrants } from './queries.ts';

export const listPermissionsAggregateInSpace = handler('listPermissionsAggregateInSpace', ({ query }, context) =>
  listAccessiblePeople(toGrantedSpace(context), query, context),
);

export const listPermissionsAggregateInCollection = handler(
  'listPermissionsAggregateInCollection',
  ({ query }, context) => listAccessiblePeople(toGrantedCollection(context), query, context),
);

export const listUserPermissionsInSpace = handler('listUserPermissionsInSpace', ({ query }, context) =>
  listUserGrants(toGrantedSpace(context), query, context),
);

export const listUserPermissionsInCollection = handler('listUserPermissionsInCollection', ({ query }, context) =>
  listUserGrants(toGrantedCollection(context), query, context),
);

export const listTeamPermissionsInSpace = handler('listTeamPermissionsInSpace', ({ query }, context) =>
  listTeamGrants(toGrantedSpace(context), query, context),
);

export const listTeamPermissionsInCollection = handler('listTeamPermissionsInCollection', ({ query }, context) =>
  listTeamGrants(toGrantedCollection(context), query, context),
);

export const inviteToSpace = handler('inviteToSpace', ({ body }, context) =>
  grantRole(toGrantedSpace(context), body, context),
);

export const inviteToCollection = handler('inviteToCollection', ({ body }, context) =>
  grantRole(toGrantedCollection(context), body, context),
);

export const updateUserPermissionInSpace = handler('updateUserPermissionInSpace', ({ params, body }, context) =>
  changeRole(toGrantedSpace(context), { subject: { kind: 'user', id: params.userId }, role: body.role }, context),
);

export const updateUserPermissionInCollection = handler(
  'updateUserPermissionInCollection',
  ({ params, body }, context) =>
    changeRole(
      toGrantedCollection(context),
      { subject: { kind: 'user', id: params.userId }, role: body.role },
      context,
    ),
);

export const updateTeamPermissionInSpace = handler('updateTeamPermissionInSpace', ({ params, body }, context) =>
  changeRole(toGrantedSpace(context), { subject: { kind: 'team', id: params.teamId }, role: body.role }, context),
);

export const updateTeamPermissionInCollection = handler(
  'updateTeamPermissionInCollection',
  ({ params, body }, context) =>
    changeRole(
      toGrantedCollection(context),
      { subject: { kind: 'team', id: params.teamId }, role: body.role },
      context,
    ),
);

export const removeUserFromSpace = handler('removeUserFromSpace', ({ params }, context) =>
  revokeRole(toGrantedSpace(context), { kind: 'user', id: params.userId }, context),
);

export const removeUserFromCollection = handler('removeUserFromCollection', ({ params }, context) =>
  revokeRole(toGrantedCollection(context), { kind: 'user', id: params.userId }, context),
);

export const removeTeamFromSpace = handler('removeTeamFromSpace', ({ params }, context) =>
  revokeRole(toGrantedSpace(context), { kind: 'team', id: params.teamId }, context),
);

export const removeTeamFromCollection = handler('removeTeamFromCollection', ({ params }, context) =>
  revokeRole(toGrantedCollection(context), { kind: 'team', id: params.teamId }, context),
);
