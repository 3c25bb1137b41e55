import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { takeRole } from './change-grants.ts';
import { grantedSpace } from './granted-content.ts';

export const removeUserFromSpace: Handler<typeof orgAdmin.removeUserFromSpace, OrgAdminEnvironment> = (
  { params },
  context,
) => takeRole(grantedSpace(context), { kind: 'user', id: params.userId }, context);
