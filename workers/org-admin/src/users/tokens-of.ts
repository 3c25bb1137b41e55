import type { Database } from '@octavo/db';
import { after, commitChecked, decodeCursor, paginate, tokens } from '@octavo/db';
import type { ActorContext } from '@octavo/runtime';
import type { List, OrganizationId, PageQuery, UserId, UserToken } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { desc, sql } from 'drizzle-orm';
import { presentToken } from './present-token.ts';

/** Whose tokens, as the caller sees them: through a token of one organization, the user's tokens of that one alone. */
export interface TokenOwner {
  user: UserId;
  organization: OrganizationId | null;
}

const areOf = ({ user, organization }: TokenOwner): SQL =>
  sql`${tokens.user} = ${user} AND (${organization} IS NULL OR ${tokens.organization} = ${organization})`;

/** The newest first. */
export async function listTokens(db: Database, owner: TokenOwner, query: PageQuery): Promise<List<UserToken>> {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const rows = await db
    .select()
    .from(tokens)
    .where(sql`${areOf(owner)} AND ${after(cursor, sql`created_at`, sql`id`)}`)
    .orderBy(desc(tokens.createdAt), desc(tokens.id))
    .limit(query.limit + 1);
  return paginate(rows, query.limit, { item: presentToken, cursorOf: (row) => [row.createdAt, row.id] });
}

/** @throws ApiError not_found, also for all but one of those who delete it at once */
export async function deleteToken(
  { db, commit }: Pick<ActorContext, 'commit'> & { db: Database },
  owner: TokenOwner,
  id: string,
): Promise<void> {
  const it = sql`${tokens.id} = ${id} AND ${areOf(owner)}`;
  const isThere = { holds: sql`EXISTS (SELECT 1 FROM ${tokens} WHERE ${it})`, otherwise: () => notFound('token') };
  await commitChecked(db, [isThere], (guards) =>
    commit(
      [...guards, db.delete(tokens).where(it)],
      [{ type: 'token.deleted', ...within(owner), data: { token: id } }],
    ),
  );
}

/** The organization that an event on a token is of, where it is of one. */
export const within = ({ organization }: Pick<TokenOwner, 'organization'>): { organization?: OrganizationId } =>
  organization === null ? {} : { organization };
