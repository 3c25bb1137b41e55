import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { takeRole } from './change-grants.ts';
import { grantedSpace } from './granted-content.ts';

export const removeTeamFromSpace: Handler<typeof orgAdmin.removeTeamFromSpace, OrgAdminEnvironment> = (
  { params },
  context,
) => takeRole(grantedSpace(context), { kind: 'team', id: params.teamId }, context);
