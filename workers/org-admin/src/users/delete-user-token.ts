import { tokens } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { and, eq } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

export const deleteUserToken: Handler<typeof orgAdmin.deleteUserToken, OrgAdminEnvironment> = async (
  { params },
  { db, actor },
) => {
  const deleted = await db
    .delete(tokens)
    .where(and(eq(tokens.id, params.tokenId), eq(tokens.user, actor.id)))
    .returning({ id: tokens.id });
  if (deleted.length === 0) throw notFound('token');
  return undefined;
};
