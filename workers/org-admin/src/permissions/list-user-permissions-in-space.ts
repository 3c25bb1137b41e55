import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { grantedSpace } from './granted-content.ts';
import { listUserGrants } from './list-grants.ts';

export const listUserPermissionsInSpace: Handler<typeof orgAdmin.listUserPermissionsInSpace, OrgAdminEnvironment> = (
  { query },
  context,
) => listUserGrants(grantedSpace(context), query, context);
