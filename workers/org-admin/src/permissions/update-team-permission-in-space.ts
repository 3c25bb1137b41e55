import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { changeRole } from './change-grants.ts';
import { grantedSpace } from './granted-content.ts';

export const updateTeamPermissionInSpace: Handler<typeof orgAdmin.updateTeamPermissionInSpace, OrgAdminEnvironment> = (
  { params, body },
  context,
) => changeRole(grantedSpace(context), { subject: { kind: 'team', id: params.teamId }, role: body.role }, context);
