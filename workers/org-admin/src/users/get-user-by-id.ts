import type { Handler } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { findSeenUser } from './find-seen-user.ts';

export const getUserById: Handler<typeof orgAdmin.getUserById, OrgAdminEnvironment> = async (
  { params },
  { db, actor, urls },
) => {
  const user = await findSeenUser(db, actor, params.userId);
  if (user === undefined) throw notFound('user');
  return presentUser(user, urls);
};
