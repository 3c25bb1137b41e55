import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { grantedSpace } from './granted-content.ts';
import { listTeamGrants } from './list-grants.ts';

export const listTeamPermissionsInSpace: Handler<typeof orgAdmin.listTeamPermissionsInSpace, OrgAdminEnvironment> = (
  { query },
  context,
) => listTeamGrants(grantedSpace(context), query, context);
