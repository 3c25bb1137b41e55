import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { preconditionFailed } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { changeMember } from './write-member.ts';

export const setUserAsSSOMemberForOrganization: Handler<
  typeof orgAdmin.setUserAsSSOMemberForOrganization,
  OrgAdminEnvironment
> = (_, context) => {
  if (context.member.kind === 'service') throw preconditionFailed('A service account does not sign in.');
  return changeMember(context, { sso: true });
};
