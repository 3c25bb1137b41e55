import type { Database } from '@octavo/db';
import { CommitConflict, must, retryOnConflict, tokens } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { conflict, invalid } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
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
  const full = isFull(actor.id);
  const write = [must(db, sql`NOT ${full}`), db.insert(tokens).values(row)];
  await retryOnConflict(async () => {
    try {
      await commit(write, [{ type: 'token.created', data: { token: row.id } }]);
    } catch (error) {
      throw error instanceof CommitConflict && (await holds(db, full)) ? tooMany() : error;
    }
  });
  return { ...presentToken(row), token };
};

const tooMany = () => conflict(`A user has at most ${maxTokensPerUser} tokens.`);

/** True for a user who has the most tokens already; those that have expired do not count. */
const isFull = (user: string): SQL => sql`(SELECT COUNT(*) FROM tokens
  WHERE user = ${user} AND (expires_at IS NULL OR expires_at > ${Date.now()})) >= ${maxTokensPerUser}`;

const holds = async (db: Database, condition: SQL): Promise<boolean> =>
  (await db.all(sql`SELECT 1 WHERE ${condition}`)).length > 0;
