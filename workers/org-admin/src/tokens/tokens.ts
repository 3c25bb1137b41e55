import type { CallerRecord } from '@octavo/db';
import { ApiError, timestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { deleteToken, listTokens, mintToken } from './queries.ts';

export const listUserTokens = handler('listUserTokens', ({ query }, { db, actor }) =>
  listTokens(db, { user: actor.id, organization: actor.organization }, query),
);

/**
 * A token made through one that is bound to an organization is bound to it too, and ends when that does at the latest: no
 * token leads to a wider one, and a session that the identity provider limits to none that outlives it.
 */
export const createUserToken = handler('createUserToken', ({ body }, { db, actor, commit }) =>
  mintToken(
    { db, commit },
    {
      owner: { user: actor.id, organization: actor.organization },
      wanted: { ...body, expiresAt: earlier(body.expiresAt, actor) },
      // A token that is ended meanwhile, alone or with the membership it is bound to, must not live on in another.
      while: {
        holds: sql`EXISTS (SELECT 1 FROM tokens WHERE id = ${actor.token})`,
        otherwise: () => new ApiError('unauthenticated', 'The token has been revoked.'),
      },
    },
  ),
);

function earlier(wanted: string | undefined, { organization, expiresAt }: CallerRecord): string | undefined {
  if (organization === null || expiresAt === null) return wanted;
  return wanted !== undefined && Date.parse(wanted) < expiresAt ? wanted : timestamp(expiresAt);
}

export const deleteUserToken = handler('deleteUserToken', async ({ params }, { db, actor, commit }) => {
  await deleteToken({ db, commit }, { user: actor.id, organization: actor.organization }, params.tokenId);
  return undefined;
});
