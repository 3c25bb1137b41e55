import { createAppUrl, ids, space, spacePath } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const body = {
  space: 'The id of the space.',
  page: 'The id of a page of its live content. If omitted, it is about the space itself.',
};

const properties = {
  organization: 'The id of the organization.',
  space: 'The space, or the space of the page.',
  'space.id': 'The id of the space.',
  'space.title': 'The title of the space.',
  'space.emoji': 'The emoji of the space, as code points. Empty if none is set.',
  page: 'The page. Absent if it is about the space itself.',
  'page.id': 'The id of the page.',
  'page.title': 'The title of the page.',
  'page.emoji': 'The emoji of the page, as code points. Absent if none is set.',
  'page.icon': 'The name of the icon. Absent if none is set.',
  'urls.app': 'The URL of the page or space in the app.',
};

const bookmarked = {
  organization: ids.organization,
  space: { id: ids.space, title: space.title, emoji: space.emoji },
  page: { id: ids.page, title: 'Install Acme', emoji: '1f4e6' },
  urls: { app: createAppUrl(`${spacePath}/content/page/${ids.page}`) },
};

const omitted = 'Spaces that the caller can no longer open, and deleted pages, are left out.';
const bound = 'Returns 404 for a favorite of another organization than the one that the token is bound to.';

export const bookmarks: ResourceDocumentation = {
  operations: {
    listFavorites: { description: `Lists the favorite spaces and pages of the caller, in their order. ${omitted}` },
    addFavorite: {
      description:
        'Adds a space or page to the favorites of the caller, as the last one. If it is one already, nothing changes. ' +
        'Returns 409 if the caller has 100 other favorites.',
      body,
      example: { body: { space: ids.space, page: ids.page } },
    },
    moveFavorite: {
      description: `Moves a favorite of the caller to another position. ${bound}`,
      body: { at: 'The new index among the favorites, from 0.' },
      example: { body: { at: 0 } },
    },
    deleteFavorite: {
      description: `Removes a favorite of the caller. The space or page itself stays. ${bound}`,
    },
    listRecents: {
      description: `Lists the spaces and pages that the caller opened last, at most 100, the newest first. ${omitted}`,
    },
    addRecent: {
      description:
        'Records that the caller opened a space or page. Clients call it, because reading through the API does not ' +
        'record it. The last 100 spaces and pages are stored.',
      body,
      example: { body: { space: ids.space, page: ids.page } },
    },
  },
  schemas: {
    Favorite: {
      description: 'A favorite space or page of the caller.',
      properties,
      example: { object: 'favorite', id: ids.favorite, ...bookmarked },
    },
    Recent: {
      description: 'A space or page that the caller opened.',
      properties: { ...properties, openedAt: 'The time at which it was last opened, to a minute.' },
      example: { object: 'recent', ...bookmarked, openedAt: '2026-03-02T13:10:00.000Z' },
    },
  },
};
