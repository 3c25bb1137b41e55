import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { changeMember } from './write-member.ts';

export const setUserAsSSOMemberForOrganization: Handler<
  typeof orgAdmin.setUserAsSSOMemberForOrganization,
  OrgAdminEnvironment
> = (_, context) => changeMember(context, { sso: true });
