import { CommitConflict, must, tokens } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

export const deleteUserToken: Handler<typeof orgAdmin.deleteUserToken, OrgAdminEnvironment> = async (
  { params },
  { db, actor, commit },
) => {
  const mine = sql`id = ${params.tokenId} AND user = ${actor.id}`;
  const isThere = must(db, sql`EXISTS (SELECT 1 FROM tokens WHERE ${mine})`);
  const remove = db.delete(tokens).where(mine);
  try {
    await commit([isThere, remove], [{ type: 'token.deleted', data: { token: params.tokenId } }]);
  } catch (error) {
    throw error instanceof CommitConflict ? notFound('token') : error;
  }
  return undefined;
};
