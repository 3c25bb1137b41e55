import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { grantedCollection } from './granted-content.ts';
import { listTeamGrants } from './list-grants.ts';

export const listTeamPermissionsInCollection: Handler<
  typeof orgAdmin.listTeamPermissionsInCollection,
  OrgAdminEnvironment
> = ({ query }, context) => listTeamGrants(grantedCollection(context), query, context);
