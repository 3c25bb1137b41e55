import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { changeRole } from './change-grants.ts';
import { grantedSpace } from './granted-content.ts';

export const updateUserPermissionInSpace: Handler<typeof orgAdmin.updateUserPermissionInSpace, OrgAdminEnvironment> = (
  { params, body },
  context,
) => changeRole(grantedSpace(context), { subject: { kind: 'user', id: params.userId }, role: body.role }, context);
