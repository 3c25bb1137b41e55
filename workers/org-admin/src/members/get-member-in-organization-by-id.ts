import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentMember } from './present-member.ts';

export const getMemberInOrganizationById: Handler<typeof orgAdmin.getMemberInOrganizationById, OrgAdminEnvironment> = (
  _,
  { member, urls },
) => presentMember(member, urls);
