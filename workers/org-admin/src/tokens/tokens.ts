import type { CallerRecord } from '@octavo/db';
import { ApiError, formatTimestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { deleteToken, listTokens, mintToken } from './queries.ts';

export const listUserTokens = handler('listUserTokens', ({ query }, { db, actor }) =>
  listTokens(db, { user: actor.id, organization: actor.organization }, query),
);

/**
 * A token that is created with an organization-bound token is bound to the same organization and expires no later. So
 * no token can create another token that has more access, or that outlives the session of an identity provider.
 */
export const createUserToken = handler('createUserToken', ({ body }, { db, actor, commit }) =>
  mintToken(
    { db, commit },
    {
      owner: { user: actor.id, organization: actor.organization },
      wanted: { ...body, expiresAt: getEarlierExpiry(body.expiresAt, actor) },
      // If the caller's token is revoked meanwhile, no new token may be created with it.
      check: {
        condition: sql`EXISTS (SELECT 1 FROM tokens WHERE id = ${actor.token})`,
        createError: () => new ApiError('unauthenticated', 'The token has been revoked.'),
      },
    },
  ),
);

function getEarlierExpiry(expiry: string | undefined, { organization, expiresAt }: CallerRecord): string | undefined {
  if (organization === null || expiresAt === null) return expiry;
  return expiry !== undefined && Date.parse(expiry) < expiresAt ? expiry : formatTimestamp(expiresAt);
}

export const deleteUserToken = handler('deleteUserToken', async ({ params }, { db, actor, commit }) => {
  await deleteToken({ db, commit }, { user: actor.id, organization: actor.organization }, params.tokenId);
  return undefined;
});
