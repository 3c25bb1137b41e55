import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { grantedSpace } from './granted-content.ts';
import { listReach } from './list-reach.ts';

export const listPermissionsAggregateInSpace: Handler<
  typeof orgAdmin.listPermissionsAggregateInSpace,
  OrgAdminEnvironment
> = ({ query }, context) => listReach(grantedSpace(context), query, context);
