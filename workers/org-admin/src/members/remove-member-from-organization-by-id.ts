import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { removeMember } from './write-member.ts';

export const removeMemberFromOrganizationById: Handler<
  typeof orgAdmin.removeMemberFromOrganizationById,
  OrgAdminEnvironment
> = async (_, context) => {
  await removeMember(context);
  return undefined;
};
