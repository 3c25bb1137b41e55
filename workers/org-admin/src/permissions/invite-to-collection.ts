import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { giveRole } from './change-grants.ts';
import { grantedCollection } from './granted-content.ts';

export const inviteToCollection: Handler<typeof orgAdmin.inviteToCollection, OrgAdminEnvironment> = (
  { body },
  context,
) => giveRole(grantedCollection(context), body, context);
