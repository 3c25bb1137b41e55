import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { takeRole } from './change-grants.ts';
import { grantedCollection } from './granted-content.ts';

export const removeUserFromCollection: Handler<typeof orgAdmin.removeUserFromCollection, OrgAdminEnvironment> = (
  { params },
  context,
) => takeRole(grantedCollection(context), { kind: 'user', id: params.userId }, context);
