import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { deleteToken } from './tokens-of.ts';

export const deleteUserToken: Handler<typeof orgAdmin.deleteUserToken, OrgAdminEnvironment> = async (
  { params },
  { db, actor, commit },
) => {
  await deleteToken({ db, commit }, { user: actor.id, organization: actor.organization }, params.tokenId);
  return undefined;
};
