import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { changeMember } from './write-member.ts';

export const enableMemberInOrganization: Handler<typeof orgAdmin.enableMemberInOrganization, OrgAdminEnvironment> = (
  _,
  context,
) => changeMember(context, { disabled: false });
