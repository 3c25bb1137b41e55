import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { Timestamp } from '../time.ts';

/** Maximum numbers of favorites and of recently opened spaces and pages of a user. */
export const maxFavorites = 100;
export const maxRecents = 100;

/** A space, or a page in it. */
const bookmarked = {
  organization: z.string(),
  space: z.object({ id: z.string(), title: z.string(), emoji: z.string() }),
  page: z
    .object({ id: z.string(), title: z.string(), emoji: z.string().optional(), icon: z.string().optional() })
    .optional(),
  urls: z.object({ app: z.string() }),
};

export const Favorite = z
  .object({ object: z.literal('favorite'), id: z.string(), ...bookmarked })
  .meta({ id: 'Favorite' });
export type Favorite = z.infer<typeof Favorite>;

export const Recent = z
  .object({ object: z.literal('recent'), ...bookmarked, openedAt: Timestamp })
  .meta({ id: 'Recent' });
export type Recent = z.infer<typeof Recent>;

const completeList = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item) });

const options = { access: 'user', scope: 'unscoped' } as const;
const NamedContent = z.object({ space: Id, page: Id.optional() });
const targets = { space: { space: 'access' } } as const;
const params = z.object({ favoriteId: Id });

/** Extensions of the GitBook API. */
export const bookmarkEndpoints = contract({
  listFavorites: {
    ...options,
    method: 'GET',
    path: '/v1/user/favorites',
    summary: 'List the favorites of the caller',
    response: completeList(Favorite),
    success: 200,
    hidesCost: 'from-all',
  },
  addFavorite: {
    ...options,
    method: 'POST',
    path: '/v1/user/favorites',
    summary: 'Add a space or page to the favorites of the caller',
    body: NamedContent,
    targets,
    success: 204,
    errors: ['conflict'],
  },
  moveFavorite: {
    ...options,
    method: 'PATCH',
    path: '/v1/user/favorites/:favoriteId',
    summary: 'Move a favorite of the caller',
    params,
    body: z.object({ at: z.number().int().min(0).max(maxFavorites) }),
    success: 204,
  },
  deleteFavorite: {
    ...options,
    method: 'DELETE',
    path: '/v1/user/favorites/:favoriteId',
    summary: 'Remove a favorite of the caller',
    params,
    success: 205,
  },
  listRecents: {
    ...options,
    method: 'GET',
    path: '/v1/user/recents',
    summary: 'List the spaces and pages that the caller opened last',
    response: completeList(Recent),
    success: 200,
    hidesCost: 'from-all',
  },
  addRecent: {
    ...options,
    method: 'POST',
    path: '/v1/user/recents',
    summary: 'Record that the caller opened a space or page',
    body: NamedContent,
    targets,
    success: 204,
  },
});
