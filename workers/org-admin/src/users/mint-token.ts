import type { Check, Database } from '@octavo/db';
import { commitChecked, tokens } from '@octavo/db';
import type { ActorContext } from '@octavo/runtime';
import type { BodyOf, orgAdmin, ResponseOf } from '@octavo/schema';
import { conflict, invalid } from '@octavo/schema';
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
  /** What must hold when the token is written. */
  while: Check;
}

/** Makes a token, and does away with those of the same user that have expired. */
export async function mintToken(
  { db, commit }: Pick<ActorContext, 'commit'> & { db: Database },
  mint: Mint,
): Promise<ResponseOf<Create>> {
  const { owner, wanted } = mint;
  const { token, row } = await newToken({ ...owner, ...wanted, expiresAt: endOf(wanted.expiresAt) });
  const write = [
    db.delete(tokens).where(sql`${tokens.user} = ${owner.user} AND ${tokens.expiresAt} <= ${Date.now()}`),
    db.insert(tokens).values(row),
  ];
  await commitChecked(db, [mint.while, mayHaveMore(owner)], (guards) =>
    commit([...guards, ...write], [{ type: 'token.created', ...within(owner), data: { token: row.id } }]),
  );
  return { ...presentToken(row), token };
}

function endOf(expiresAt: string | undefined): number | undefined {
  if (expiresAt === undefined) return undefined;
  const end = Date.parse(expiresAt);
  if (end > Date.now()) return end;
  throw invalid([{ path: 'body.expiresAt', message: 'must lie in the future' }]);
}

/** Those count that act where the new one does and have not expired. */
const mayHaveMore = ({ user, organization }: TokenOwner): Check => ({
  holds: sql`(SELECT COUNT(*) FROM tokens WHERE user = ${user} AND organization IS ${organization}
    AND (expires_at IS NULL OR expires_at > ${Date.now()})) < ${maxTokensPerUser}`,
  otherwise: () => conflict(`A user has at most ${maxTokensPerUser} tokens.`),
});
