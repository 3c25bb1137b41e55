import { appUrl, ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const pagePath = `/spaces/${ids.space}/content/page/${ids.page}`;

const section = {
  id: 'requirements',
  title: 'Requirements',
  path: 'get-started/install#requirements',
  body: 'Before you install Acme, check that the server has at least 2 GB of memory.',
  urls: { app: appUrl(`${pagePath}#requirements`) },
} as const;

const page = {
  id: ids.page,
  title: 'Install Acme',
  path: 'get-started/install',
  sections: [section],
  urls: { app: appUrl(pagePath) },
} as const;

const texts = {
  title: 'The title of the page.',
  path: 'The path of the page in the space.',
  urls: 'The URLs of the page.',
  'urls.app': 'The URL of the page in the web application.',
};

export const search: ResourceDocumentation = {
  operations: {
    searchOrganizationContent: {
      description:
        'Searches the live content of all spaces of the organization that the caller can see. The results are ' +
        'grouped by space. Pages that are excluded from search, and change requests, are not searched.',
      parameters: { query: 'The words to search for.' },
    },
  },
  schemas: {
    SpaceSearchResult: {
      description: 'The pages of a space that contain the words.',
      properties: {
        id: 'The id of the space.',
        title: 'The title of the space.',
        pages: 'The pages, the best match first.',
      },
      example: { id: ids.space, title: 'User guide', pages: [page] },
    },
    SearchPage: {
      description: 'A page that contains the words.',
      properties: { ...texts, sections: 'The sections that contain the words, the best match first.' },
      example: page,
    },
    SearchSection: {
      description: 'A section of a page, from one heading to the next, that contains the words.',
      properties: {
        ...texts,
        id: 'The anchor of the section, or the id of the page for the text before the first heading.',
        title: 'The heading of the section.',
        path: 'The path of the page in the space, with the anchor of the section.',
        body: 'A snippet of the text around the words, as plain text.',
        urls: 'The URLs of the section.',
        'urls.app': 'The URL of the section in the web application.',
      },
      example: section,
    },
  },
};
