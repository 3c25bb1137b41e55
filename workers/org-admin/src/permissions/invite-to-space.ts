import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { giveRole } from './change-grants.ts';
import { grantedSpace } from './granted-content.ts';

export const inviteToSpace: Handler<typeof orgAdmin.inviteToSpace, OrgAdminEnvironment> = ({ body }, context) =>
  giveRole(grantedSpace(context), body, context);
