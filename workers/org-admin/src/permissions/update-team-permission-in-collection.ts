import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { changeRole } from './change-grants.ts';
import { grantedCollection } from './granted-content.ts';

export const updateTeamPermissionInCollection: Handler<
  typeof orgAdmin.updateTeamPermissionInCollection,
  OrgAdminEnvironment
> = ({ params, body }, context) =>
  changeRole(grantedCollection(context), { subject: { kind: 'team', id: params.teamId }, role: body.role }, context);
