import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { deleteToken } from '../users/tokens-of.ts';
import { accountOf } from './account-of.ts';

export const deleteServiceAccountToken: Handler<
  typeof orgAdmin.deleteServiceAccountToken,
  OrgAdminEnvironment
> = async ({ params }, { db, commit, member, organization }) => {
  await deleteToken({ db, commit }, accountOf(member, organization), params.tokenId);
  return undefined;
};
