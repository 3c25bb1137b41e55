import { space } from '../acme.ts';
import type { OperationDocumentation, ResourceDocumentation } from '../documentation.ts';
import { searchResponse } from '../org-admin/search.ts';
import { page } from './examples.ts';

const embed = {
  type: 'rich',
  title: 'How Acme works',
  site: 'YouTube',
  html:
    '<iframe src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ" loading="lazy" allowfullscreen ' +
    'referrerpolicy="strict-origin-when-cross-origin" ' +
    'sandbox="allow-scripts allow-same-origin allow-popups allow-presentation"></iframe>',
} as const;

const ranking =
  'A page is found if it contains some of the words. Pages rank higher the more of the words they contain, the rarer ' +
  'these are, and if they are in the title or a heading, or close to each other. Case and accents are ignored. Other ' +
  'forms of a word, and words with a spelling mistake, match too; the last word also matches the beginning of a word, ' +
  'unless a space follows it. Pages with `noIndex` are not searched.';

const search = (description: string): OperationDocumentation => ({
  description,
  parameters: { query: 'The words to search for. The first 10 different words count.' },
  response: searchResponse,
});

const embedding =
  'Returns how a URL is shown in a page: in a frame of a known provider, with the title that the provider returns, or ' +
  'as a link. Only known providers are requested.';

export const urls: ResourceDocumentation = {
  operations: {
    searchSpaceContent: search(`Searches the live content of a space. ${ranking}`),
    searchChangeRequestContent: search(
      `Searches the content of a change request, as it is read. ${ranking} Of the pages that differ from live content, ` +
        'the 200 that changed last are searched, up to 256 KiB of text; others are found by their live text. Generated ' +
        'pages are found as in live content.',
    ),
    getContentByUrl: {
      description:
        'Returns the content that a URL of this server identifies, in the app or in the API: a collection, ' +
        'or a space with the change request and the page. Returns 404 if it does not exist or the caller cannot see it.',
      parameters: { url: 'The URL. Its query and anchor are ignored.' },
    },
    getEmbedByUrl: { description: embedding, parameters: { url: 'The URL to show.' } },
    getEmbedByUrlInSpace: {
      description: `${embedding} Visitors of a site that includes the space can call it too.`,
      parameters: { url: 'The URL to show.' },
    },
  },
  schemas: {
    ContentByUrl: {
      description: 'The content that a URL identifies.',
      properties: {
        collection: 'The collection that the URL identifies.',
        space: 'The space that the URL identifies.',
        changeRequest: 'The change request. Absent if the URL does not contain one.',
        page: 'The page, with its text. Absent if the URL does not contain one.',
      },
      example: { space, page },
    },
    Embed: {
      description: 'The presentation of a URL in a page.',
      properties: {
        type: 'The kind of presentation: a link (`link`), or a frame (`rich`).',
        title: 'The title of the content, or the URL without its scheme if the title is not known.',
        site: 'The name of the provider, or the host of the URL.',
        icon: 'The URL of the icon of the site. Not set by this server.',
        html: 'The frame as HTML, which is safe to embed.',
      },
      example: embed,
    },
  },
};
