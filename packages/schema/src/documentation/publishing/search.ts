import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { searchResponse, suggestionParameters } from '../org-admin/search.ts';

const scope = { mode: 'specific', siteSpaceIds: [ids.siteSpace] } as const;

export const siteSearch: ResourceDocumentation = {
  operations: {
    searchSiteContent: {
      description:
        'Searches the content that a site shows the caller. The results are grouped by space. Clients of older ' +
        'versions of the API family can send `mode` instead of `scope`.',
      body: {
        query: 'The words to search for.',
        scope: 'The site spaces to search.',
        mode:
          'The older form of `scope`: all site spaces, the default ones and `siteSpaceId`, or those in ' +
          '`siteSpaceIds`.',
        siteSpaceId: 'With the mode `current`: the id of the current site space.',
        siteSpaceIds: 'With the mode `specific`: the ids of the site spaces to search.',
      },
      response: searchResponse,
      example: { body: { query: 'install', scope } },
    },
    suggestSiteContent: {
      description:
        'Returns the pages and headings whose titles contain all words, among the content that a site shows the caller, ' +
        'the best match first. The last word can be incomplete. Use it while a person types a query.',
      parameters: { limit: suggestionParameters.limit },
      body: { query: suggestionParameters.query, scope: 'The site spaces to search.' },
      response: searchResponse,
      example: { body: { query: 'requ', scope } },
    },
  },
  schemas: {
    SiteSearchScope: {
      description: 'The site spaces to search: the default one of each section, named ones, or all.',
      properties: {
        mode: 'The way in which the site spaces are chosen.',
        includedSiteSpaces: 'The ids of site spaces to search in addition to the default ones.',
        siteSpaceIds: 'The ids of the site spaces to search.',
      },
      example: scope,
    },
  },
};
