import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { takeRole } from './change-grants.ts';
import { grantedCollection } from './granted-content.ts';

export const removeTeamFromCollection: Handler<typeof orgAdmin.removeTeamFromCollection, OrgAdminEnvironment> = (
  { params },
  context,
) => takeRole(grantedCollection(context), { kind: 'team', id: params.teamId }, context);
