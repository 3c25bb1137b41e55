import { tokens } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { and, eq } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

export const deleteUserToken: Handler<typeof orgAdmin.deleteUserToken, OrgAdminEnvironment> = async (
  { params },
  { db, actor, commit },
) => {
  const mine = and(eq(tokens.id, params.tokenId), eq(tokens.user, actor.id));
  const found = await db.select({ id: tokens.id }).from(tokens).where(mine);
  if (found.length === 0) throw notFound('token');
  await commit([db.delete(tokens).where(mine)], [{ type: 'token.deleted', data: { token: params.tokenId } }]);
  return undefined;
};
