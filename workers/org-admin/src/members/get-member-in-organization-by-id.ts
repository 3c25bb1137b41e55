import type { Handler } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';

export const getMemberInOrganizationById: Handler<typeof orgAdmin.getMemberInOrganizationById, OrgAdminEnvironment> = (
  _,
  { member, urls },
) => presentMember(member, urls);
