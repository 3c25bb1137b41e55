import { organization, space } from '../acme.ts';
import type { OperationDocumentation, ResourceDocumentation } from '../documentation.ts';
import { forEachContent } from '../documentation.ts';
import { group, listedPage, revision } from './examples.ts';

const { pages, files, reusableContents, tags, variables, ...shortRevision } = revision;

const versionContext = { type: 'revision', revision: shortRevision } as const;

const reference = { kind: 'page', organization, space, versionContext, page: listedPage } as const;

const link = {
  id: '0k3xq1v1a2b3c4',
  status: 'ok',
  relation: 'reference',
  target: '../get-started',
  targetReference: { ...reference, page: { ...group, pages: [] } },
  locations: 1,
  locationReferences: [reference],
} as const;

const stats = { total: 1, broken: { total: 0 } } as const;

const status = { status: 'Lists only links with this status. `stats` counts all links.' };

const documentListing = (description: string, parameters = {}): OperationDocumentation => ({
  description,
  parameters,
  response: { stats: 'The numbers of targets in the whole list.' },
  example: { response: { count: 1, items: [link], stats } },
});

const lists =
  'Each target is listed once, with the first 5 locations that link to it. Links, included reusable contents and ' +
  'embedded files count.';

const sizes = 'A page can contain fewer items than `limit` although there is a `next`, if they have many locations.';

export const links: ResourceDocumentation = {
  operations: {
    listSpaceLinks: documentListing(`Lists the links in the live content of a space. ${lists} ${sizes}`, status),
    listPageLinksInSpace: documentListing(`Lists the links on a page of the live content. ${lists}`, status),
    listPageLinksInChangeRequest: documentListing(
      `Lists the links on a page of a change request. ${lists} \`stats\` also counts the links that the change request ` +
        'has broken.',
    ),
    ...forEachContent(
      { listSpaceLinkLocations: 'the live content', listChangeRequestLinkLocations: 'a change request' },
      (content) => ({
        description: `Lists all pages and reusable contents of ${content} that link to a target.`,
      }),
    ),
    ...forEachContent(
      { listSpaceFileBacklinks: 'the live content', listChangeRequestFileBacklinks: 'a change request' },
      (content) => ({
        description: `Lists all pages and reusable contents of ${content} that use a file.`,
      }),
    ),
  },
  schemas: {
    LinkItem: {
      description: 'A target of links, with the locations that link to it.',
      properties: {
        id: 'The id of the link, with which all its locations can be listed. It is the same in all lists of the space.',
        status: 'The state of the link.',
        reason: 'The reason why the link is broken. Absent unless it is.',
        relation:
          'The kind of link: `dependsOn` for an included reusable content, whose text is part of the page, otherwise ' +
          '`reference`.',
        target: 'The target as it is written at the first location.',
        targetReference: 'The target. Absent if it does not exist or the caller cannot see it.',
        locations: 'The number of locations that link to the target.',
        locationReferences: 'The first 5 locations. `.../links/{linkId}/locations` lists all.',
      },
      example: link,
    },
    LinkStats: {
      description: 'The numbers of targets in a whole list of links.',
      properties: {
        total: 'The number of targets.',
        broken: 'The numbers of broken links.',
        'broken.total': 'The number of broken links.',
        'broken.changeRequest': 'The number of links that the change request has broken. Only for a change request.',
      },
      example: stats,
    },
    LinkStatus: {
      description:
        'The state of a link. `ok`: the target exists. `broken`: the target does not exist in this revision. ' +
        '`in-app`: the target is a URL of the app.',
      example: 'ok',
    },
    BrokenLinkReason: {
      description:
        'The reason why a link is broken. `no-target`: the target does not exist. `no-anchor`: the page exists, but ' +
        'does not have the anchor.',
      example: 'no-target',
    },
    ContentReference: {
      description: 'The location or the target of a link, with the objects that contain it.',
      properties: {
        kind: 'The kind of object.',
        organization: 'The organization that contains the object.',
        space: 'The space that contains the object.',
        versionContext: 'The version of the content.',
        file: 'The file that is referred to.',
        url: 'The URL that is referred to.',
        page: 'The page, without its text and the pages below it.',
        internalLocation: 'The location on the page. Absent if the page itself is meant.',
        'internalLocation.type': 'The kind of location.',
        'internalLocation.anchor': 'The anchor on the page.',
        'internalLocation.node': 'The key of the block on the page.',
        user: 'The user who is mentioned.',
        collection: 'The collection that is referred to.',
        reusableContent: 'The reusable content, without its text.',
        openAPISpec: 'The OpenAPI specification.',
      },
      example: reference,
    },
  },
};
