import type { Handler } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { requireFullToken } from './require-full-token.ts';
import { changeMember } from './write-member.ts';

export const updateMemberInOrganizationById: Handler<
  typeof orgAdmin.updateMemberInOrganizationById,
  OrgAdminEnvironment
> = ({ body: { role } }, context) => {
  if (role === undefined) return presentMember(context.member, context.urls);
  requireFullToken(context.actor, role);
  return changeMember(context, { role });
};
