import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { changeRole } from './change-grants.ts';
import { grantedCollection } from './granted-content.ts';

export const updateUserPermissionInCollection: Handler<
  typeof orgAdmin.updateUserPermissionInCollection,
  OrgAdminEnvironment
> = ({ params, body }, context) =>
  changeRole(grantedCollection(context), { subject: { kind: 'user', id: params.userId }, role: body.role }, context);
