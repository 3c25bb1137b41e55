import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { grantedCollection } from './granted-content.ts';
import { listReach } from './list-reach.ts';

export const listPermissionsAggregateInCollection: Handler<
  typeof orgAdmin.listPermissionsAggregateInCollection,
  OrgAdminEnvironment
> = ({ query }, context) => listReach(grantedCollection(context), query, context);
