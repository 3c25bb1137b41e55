import { inviteToCollection } from './invite-to-collection.ts';
import { inviteToSpace } from './invite-to-space.ts';
import { listPermissionsAggregateInCollection } from './list-permissions-aggregate-in-collection.ts';
import { listPermissionsAggregateInSpace } from './list-permissions-aggregate-in-space.ts';
import { listTeamPermissionsInCollection } from './list-team-permissions-in-collection.ts';
import { listTeamPermissionsInSpace } from './list-team-permissions-in-space.ts';
import { listUserPermissionsInCollection } from './list-user-permissions-in-collection.ts';
import { listUserPermissionsInSpace } from './list-user-permissions-in-space.ts';
import { removeTeamFromCollection } from './remove-team-from-collection.ts';
import { removeTeamFromSpace } from './remove-team-from-space.ts';
import { removeUserFromCollection } from './remove-user-from-collection.ts';
import { removeUserFromSpace } from './remove-user-from-space.ts';
import { updateTeamPermissionInCollection } from './update-team-permission-in-collection.ts';
import { updateTeamPermissionInSpace } from './update-team-permission-in-space.ts';
import { updateUserPermissionInCollection } from './update-user-permission-in-collection.ts';
import { updateUserPermissionInSpace } from './update-user-permission-in-space.ts';

export const permissionsHandlers = {
  inviteToSpace,
  listPermissionsAggregateInSpace,
  listUserPermissionsInSpace,
  updateUserPermissionInSpace,
  removeUserFromSpace,
  listTeamPermissionsInSpace,
  updateTeamPermissionInSpace,
  removeTeamFromSpace,
  inviteToCollection,
  listPermissionsAggregateInCollection,
  listUserPermissionsInCollection,
  updateUserPermissionInCollection,
  removeUserFromCollection,
  listTeamPermissionsInCollection,
  updateTeamPermissionInCollection,
  removeTeamFromCollection,
};
