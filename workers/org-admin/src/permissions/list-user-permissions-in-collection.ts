import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { grantedCollection } from './granted-content.ts';
import { listUserGrants } from './list-grants.ts';

export const listUserPermissionsInCollection: Handler<
  typeof orgAdmin.listUserPermissionsInCollection,
  OrgAdminEnvironment
> = ({ query }, context) => listUserGrants(grantedCollection(context), query, context);
