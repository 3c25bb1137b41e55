import type { Database } from '@octavo/db';
import { CommitConflict, must, retryOnConflict, tokens } from '@octavo/db';
import type { ActorContext } from '@octavo/runtime';
import type { ApiError, BodyOf, orgAdmin, ResponseOf } from '@octavo/schema';
import { conflict, invalid } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { newToken } from './new-token.ts';
import { presentToken } from './present-token.ts';
import type { TokenOwner } from './tokens-of.ts';
import { within } from './tokens-of.ts';

const maxTokensPerUser = 100;

type Create = typeof orgAdmin.createUserToken;

interface Mint {
  owner: TokenOwner;
  wanted: BodyOf<Create>;
  /** What must hold when the token is written, and the error where it does not. */
  while: SQL;
  otherwise: () => ApiError;
}

/** Makes a token, and does away with those of the same user that have expired. */
export async function mintToken(
  { db, commit }: Pick<ActorContext, 'commit'> & { db: Database },
  mint: Mint,
): Promise<ResponseOf<Create>> {
  const { owner, wanted } = mint;
  const { token, row } = await newToken({ ...owner, ...wanted, expiresAt: endOf(wanted.expiresAt) });
  const full = isFull(owner);
  const write = [
    must(db, mint.while),
    must(db, sql`NOT ${full}`),
    db.delete(tokens).where(sql`${tokens.user} = ${owner.user} AND ${tokens.expiresAt} <= ${Date.now()}`),
    db.insert(tokens).values(row),
  ];
  await retryOnConflict(async () => {
    try {
      await commit(write, [{ type: 'token.created', ...within(owner), data: { token: row.id } }]);
    } catch (error) {
      if (!(error instanceof CommitConflict)) throw error;
      if (!(await holds(db, mint.while))) throw mint.otherwise();
      throw (await holds(db, full)) ? conflict(`A user has at most ${maxTokensPerUser} tokens.`) : error;
    }
  });
  return { ...presentToken(row), token };
}

function endOf(expiresAt: string | undefined): number | undefined {
  if (expiresAt === undefined) return undefined;
  const end = Date.parse(expiresAt);
  if (end > Date.now()) return end;
  throw invalid([{ path: 'body.expiresAt', message: 'must lie in the future' }]);
}

/** True for a user who has the most tokens already, of those that act where the new one does and have not expired. */
const isFull = ({ user, organization }: TokenOwner): SQL => sql`(SELECT COUNT(*) FROM tokens
  WHERE user = ${user} AND organization IS ${organization} AND (expires_at IS NULL OR expires_at > ${Date.now()})) >= ${maxTokensPerUser}`;

const holds = async (db: Database, condition: SQL): Promise<boolean> =>
  (await db.all(sql`SELECT 1 WHERE ${condition}`)).length > 0;
