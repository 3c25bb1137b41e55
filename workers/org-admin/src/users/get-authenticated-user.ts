import type { Handler } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';

export const getAuthenticatedUser: Handler<typeof orgAdmin.getAuthenticatedUser, OrgAdminEnvironment> = (
  _,
  { actor, urls },
) => presentUser(actor, urls);
