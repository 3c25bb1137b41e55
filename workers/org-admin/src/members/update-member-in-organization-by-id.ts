import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentMember } from './present-member.ts';
import { changeMember } from './write-member.ts';

export const updateMemberInOrganizationById: Handler<
  typeof orgAdmin.updateMemberInOrganizationById,
  OrgAdminEnvironment
> = ({ body: { role } }, context) =>
  role === undefined ? presentMember(context.member, context.urls) : changeMember(context, { role });
