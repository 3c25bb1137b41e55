import { createAppUrl, createLocationUrl, ids, organizationPath } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const pagePath = `/spaces/${ids.space}/content/page/${ids.page}`;

const section = {
  id: 'requirements',
  title: 'Requirements',
  path: 'get-started/install#requirements',
  body: 'Before you install Acme, check that the server has at least 2 GB of memory.',
  matches: { title: [], body: [[11, 18]] as [number, number][] },
  urls: { app: createAppUrl(`${pagePath}#requirements`) },
};

const page = {
  id: ids.page,
  title: 'Install Acme',
  path: 'get-started/install',
  matches: { title: [[0, 7]] as [number, number][] },
  sections: [section],
  urls: { app: createAppUrl(pagePath) },
};

const texts = {
  title: 'The title of the page.',
  path: 'The path of the page in the space.',
  matches: 'Where the words occur in the texts, to highlight them.',
  'matches.title':
    'The ranges of characters of the words in `title`. A range has the index of its first character and the index ' +
    'after its last one, in UTF-16 code units as in JavaScript strings.',
  urls: 'The URLs of the page.',
  'urls.app': 'The URL of the page in the app.',
};

const groups = [
  { synonyms: ['k8s', 'kubernetes'] },
  { synonyms: ['login', 'log in', 'sign in'] },
  { synonyms: ['2FA', 'two-factor authentication'] },
];
const suggestion = {
  id: section.id,
  title: section.title,
  path: section.path,
  page: { id: ids.page, title: page.title },
  space: { id: ids.space, title: 'User guide' },
  matches: { title: [[0, 7]] as [number, number][] },
  urls: section.urls,
};

/** The list of results, whose schema has no name. */
export const searchResponse = {
  correctedQuery: 'The query that was probably meant. Present if words that were not found have been corrected.',
};

export const suggestionParameters = {
  query: 'What was typed: the words to search for.',
  limit: 'The maximum number of suggestions.',
};

export const search: ResourceDocumentation = {
  operations: {
    searchOrganizationContent: {
      description:
        'Searches the live content of all spaces of the organization that the caller can see. The results are ' +
        'grouped by space. Pages that are excluded from search, and change requests, are not searched.',
      parameters: { query: 'The words to search for.' },
      response: searchResponse,
    },
    getSearchSynonyms: {
      description: 'Returns the synonyms that searches in the organization, its spaces and its sites use.',
    },
    updateSearchSynonyms: {
      description:
        'Replaces all synonyms of the organization. The next search uses them. An empty list removes all synonyms. ' +
        'Requires an admin. A synonym can be in the list only once; case, accents, punctuation and word forms make ' +
        'no difference.',
      body: {
        groups: 'The groups of synonyms, at most 200.',
      },
      example: { body: { groups } },
    },
    suggestOrganizationContent: {
      description:
        'Returns the pages and headings whose titles contain all words, among the spaces of the organization that the ' +
        'caller can see, the best match first. The last word can be incomplete. Use it while a person types a query.',
      parameters: suggestionParameters,
      response: searchResponse,
    },
  },
  schemas: {
    SynonymGroup: {
      description: 'Words and phrases with the same meaning. Each also finds pages that contain one of the others.',
      properties: {
        synonyms: 'The words and phrases, 2 to 10. Each has at most 3 words and 60 characters.',
      },
      example: groups[0],
    },
    SearchSynonyms: {
      description: 'The synonyms of an organization for search.',
      properties: { groups: 'The groups of synonyms.' },
      example: {
        object: 'search-synonyms',
        groups,
        urls: { location: createLocationUrl(`${organizationPath}/search/synonyms`) },
      },
    },
    SearchSuggestion: {
      description: 'A page whose title contains the words, or a heading of a page that contains them.',
      properties: {
        ...texts,
        id: 'The anchor of the heading, or the id of the page.',
        title: 'The heading, or the title of the page.',
        path: 'The path of the page in the space, with the anchor of the heading.',
        page: 'The page that has the title or heading.',
        'page.id': 'The id of the page.',
        'page.title': 'The title of the page. For a page, it is the same as `title`.',
        space: 'The space of the page.',
        'space.id': 'The id of the space.',
        'space.title': 'The title of the space.',
        urls: 'The URLs of the page or heading.',
        'urls.app': 'The URL of the page or heading in the app.',
      },
      example: suggestion,
    },
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
        'matches.body': 'The ranges of characters of the words in `body`, like those of `title`.',
        urls: 'The URLs of the section.',
        'urls.app': 'The URL of the section in the app.',
      },
      example: section,
    },
  },
};
