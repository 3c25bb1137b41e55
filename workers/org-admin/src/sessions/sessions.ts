import {
  commitChecked,
  computed,
  decodeTimeCursor,
  fromQuery,
  paginate,
  readRows,
  selection,
  tokens,
} from '@octavo/db';
import type { UserSession } from '@octavo/schema';
import { formatTimestamp, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { isOfOwner, type TokenOwner } from '../tokens/queries.ts';

const listedRow = selection({
  id: fromQuery(String),
  browser: computed(String, sql`MAX(label)`),
  createdAt: computed(Number, sql`created_at`),
  lastUsedAt: computed(tokens.lastUsedAt, sql`MAX(last_used_at)`),
  expiresAt: computed(Number, sql`MAX(expires_at)`),
  current: fromQuery(Boolean),
});

/** The condition that a token belongs to a session of the owner that has not ended. */
const isOfSession = (owner: TokenOwner) =>
  sql`${isOfOwner(owner)} AND session IS NOT NULL AND expires_at > ${Date.now()}`;

export const listUserSessions = handler('listUserSessions', async ({ query }, { db, actor }) => {
  const [time, id] = decodeTimeCursor(query.page);
  const current = sql`MAX(tokens.id = ${actor.token})`;
  const rows = await readRows(
    db,
    listedRow.query(sql`
      SELECT ${listedRow.with({ id: sql`session`, current })} FROM tokens
      WHERE ${isOfSession({ user: actor.id, organization: actor.organization })} AND (created_at, session) < (${time}, ${id})
      GROUP BY created_at, session ORDER BY created_at DESC, session DESC LIMIT ${query.limit + 1}`),
  );
  return paginate(rows, query.limit, {
    item: ({ createdAt, lastUsedAt, expiresAt, ...session }): UserSession => ({
      object: 'user-session',
      ...session,
      createdAt: formatTimestamp(createdAt),
      ...(lastUsedAt === null ? {} : { lastUsedAt: formatTimestamp(lastUsedAt) }),
      expiresAt: formatTimestamp(expiresAt),
    }),
    getCursor: ({ createdAt, id }) => [createdAt, id],
  });
});

export const deleteUserSession = handler('deleteUserSession', async ({ params }, { db, actor, commit }) => {
  const { organization } = actor;
  const owned = sql`${isOfSession({ user: actor.id, organization })} AND session = ${params.sessionId}`;
  const sessionCheck = {
    condition: sql`EXISTS (SELECT 1 FROM ${tokens} WHERE ${owned})`,
    createError: () => notFound('session'),
  };
  const bound = organization === null ? {} : { organization };
  await commitChecked(db, [sessionCheck], (guards) =>
    commit(
      [...guards, db.delete(tokens).where(owned)],
      [{ type: 'token.deleted', ...bound, data: { token: params.sessionId } }],
    ),
  );
  return undefined;
});
