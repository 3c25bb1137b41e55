import { CommitConflict, must, tokens } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { conflict, invalid } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { newToken } from './new-token.ts';
import { presentToken } from './present-token.ts';

const maxTokensPerUser = 100;

export const createUserToken: Handler<typeof orgAdmin.createUserToken, OrgAdminEnvironment> = async (
  { body },
  { db, actor, commit },
) => {
  const expiresAt = body.expiresAt === undefined ? undefined : Date.parse(body.expiresAt);
  if (expiresAt !== undefined && expiresAt <= Date.now()) {
    throw invalid([{ path: 'body.expiresAt', message: 'must lie in the future' }]);
  }
  const { token, row } = await newToken({ user: actor.id, label: body.label, scopes: body.scopes, expiresAt });
  const fewer = must(db, sql`(SELECT COUNT(*) FROM tokens WHERE user = ${actor.id}) < ${maxTokensPerUser}`);
  try {
    await commit([fewer, db.insert(tokens).values(row)], [{ type: 'token.created', data: { token: row.id } }]);
  } catch (error) {
    throw error instanceof CommitConflict ? conflict(`A user has at most ${maxTokensPerUser} tokens.`) : error;
  }
  return { ...presentToken(row), token };
};
