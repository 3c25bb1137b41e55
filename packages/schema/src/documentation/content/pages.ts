import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { forEachContent } from '../documentation.ts';
import { computedSource, git, group, layout, listedPage, page, variables } from './examples.ts';

/** Descriptions of the parts of a page's layout. */
export const layoutTexts = {
  width: 'The width of the text.',
  cover: 'Whether the cover is visible.',
  coverSize:
    'The size of the cover: above the text (`hero`), across the page (`full`), or behind the head (`background`).',
  coverMask: 'The mask of the cover: `radial` fades out its edges.',
  title: 'Whether the title is visible.',
  description: 'Whether the description is visible.',
  tableOfContents: 'Whether the navigation with the pages of the space is visible.',
  outline: 'Whether the list of headings of the page is visible.',
  pagination: 'Whether links to the previous and the next page are visible.',
  metadata: 'Whether the time of the last change is visible.',
  tags: 'Whether tags are visible. Pages have no tags on this server.',
  actions: 'Whether the menu of the page is visible.',
  anchors: 'Whether headings have links to themselves.',
};

/** Descriptions of the parts of a cover. */
export const coverTexts = {
  ref: 'The image of the cover.',
  'ref.kind': 'The kind of reference.',
  'ref.file': 'The id of a file of the space.',
  'ref.url': 'The URL of the image.',
  refDark: 'The image in dark mode. Absent if it is the same.',
  'refDark.kind': 'The kind of reference.',
  'refDark.file': 'The id of a file of the space.',
  'refDark.url': 'The URL of the image.',
  yPos: 'How far the image is moved down, in pixels.',
};

/** Returns descriptions of the properties of a link's target that is at `path`. */
export const documentTarget = (path: string): Record<string, string> => ({
  [path]: 'The target of the link.',
  [`${path}.kind`]: 'The kind of target.',
  [`${path}.url`]: 'The URL: a web address, a mail address, or relative.',
  [`${path}.page`]: 'The id of the page.',
  [`${path}.anchor`]: 'The anchor on the page.',
  [`${path}.space`]: 'The id of the space. If omitted, the page is in the same space.',
  [`${path}.file`]: 'The id of the file.',
});

const common = {
  title: 'The title of the page.',
  emoji: 'The emoji of the page, as code points. Absent if none is set.',
  icon: 'The name of the icon. Absent if none is set.',
  createdAt: 'The time at which the page was created.',
  updatedAt: 'The time of the last change of the page.',
  condition: 'The expression that decides which visitors can see the page. Absent if there is none.',
  importedFrom:
    'The name of the folder or archive that the page was imported from. Absent if it is not known, and for visitors.',
  hidden: 'True if the page, or a page above it, is hidden from the navigation. Otherwise absent.',
  type: 'The type of the page.',
};

const kind = 'The type of the page, as older clients name it.';

const positionNote = {
  noIndex: 'True if the page, or a page above it, is excluded from search. Otherwise absent.',
  noRobotsIndex: 'True if search engines may not index the page or a page above it. Otherwise absent.',
  slug: 'The last part of the path, unique among its siblings.',
  path: 'The path of the page in the space.',
  pages: 'The pages below, in their order. Empty below the requested `depth`.',
};

const sourceTexts = {
  type:
    'The kind of source: `builtin:openapi` for an OpenAPI specification, `integration:<name>:<source>` for a content ' +
    'source of an integration. `builtin:translation` is stored, but no pages are generated from it.',
  props: 'Options of the source. `models` of an OpenAPI specification adds a page with its models.',
  dependencies: 'Objects that the source reads. `spec` is the OpenAPI specification.',
};

const depth =
  'The number of levels of pages below the top of the tree, or below the page: 0 returns none. If omitted, all levels ' +
  'are returned. Pages of the last level have an empty `pages`, whatever is below them.';

const visitors = 'A visitor receives only pages that the site shows them.';

const textOfPage =
  'with its text and the pages below it. Only a page of type `document` has a text, in the requested format. ' +
  `If the text is evaluated, reusable contents are included. ${visitors}`;

export const treeParameters = { depth };

export const pages: ResourceDocumentation = {
  operations: {
    ...forEachContent(
      {
        listPages: 'the live content',
        listPagesInChangeRequest: 'a change request',
        listPagesInRevisionById: 'a revision',
      },
      (content) => ({
        description: `Returns the page tree of ${content}, without texts. ${visitors}`,
        parameters: treeParameters,
      }),
    ),
    ...forEachContent(
      {
        getPageById: 'the live content',
        getPageInChangeRequestById: 'a change request',
        getPageInRevisionById: 'a revision',
      },
      (content) => ({
        description: `Returns a page of ${content} by its id, ${textOfPage}`,
        parameters: treeParameters,
      }),
    ),
    ...forEachContent(
      {
        getPageByPath: 'the live content',
        getPageInChangeRequestByPath: 'a change request',
        getPageInRevisionByPath: 'a revision',
      },
      (content) => ({
        description: `Returns a page of ${content} by its path, ${textOfPage}`,
        parameters: treeParameters,
      }),
    ),
  },
  schemas: {
    PageTree: {
      description: 'A tree of pages.',
      properties: { pages: 'The pages at the top level, in their order.' },
      example: { pages: [group] },
    },
    Page: {
      description: 'A page of the tree: a document, a group, a link, or a computed page.',
      example: page,
    },
    DocumentPage: {
      description: 'A page with a text, and with pages below it.',
      properties: {
        ...common,
        ...positionNote,
        kind,
        urls: 'URLs of the page.',
        'urls.app': 'The URL of the page in the app.',
        description: 'The description of the page. Absent if none is set.',
        documentId: 'The id of the text. Absent if the page has none, and for visitors.',
        markdown: 'The text as Markdown. Only if a single page was requested in this format.',
        document: 'The text as a tree of blocks. Only if a single page was requested in this format.',
        git:
          'The source file of the text. Absent if it is not known. Visitors see it only in the pages of a revision, and only ' +
          'if the site links to sources.',
        links:
          'The ids of the targets of links, by the links as they are written, without anchors. Only if a single page ' +
          'was requested, and not for visitors.',
        layout: 'The layout of the page.',
        cover: 'The cover of the page. Absent if it has none.',
        variables: 'Variables for expressions on this page. Absent if it has none, and for visitors.',
        tags: 'Always an empty list.',
        computed: 'The source that the page was generated from. Absent if it was not generated.',
        computedSeed: 'The id of the computed page that the page was generated from. Absent if it was not generated.',
      },
      example: page,
    },
    GroupPage: {
      description: 'A title at the top level, with pages below it.',
      properties: { ...common, ...positionNote, kind },
      example: group,
    },
    LinkPage: {
      description: 'A link in the navigation.',
      properties: {
        ...common,
        ...documentTarget('target'),
        kind,
        href: 'The URL that the link opens. Absent if the target is not a URL, unless a site shows it.',
      },
      example: {
        id: 'pg_8nUj25KsLd7PqWzE1xCm',
        title: 'Community forum',
        createdAt: listedPage.createdAt,
        updatedAt: listedPage.updatedAt,
        type: 'link',
        kind: 'link',
        target: { kind: 'url', url: 'https://forum.acme.example' },
        href: 'https://forum.acme.example',
      },
    },
    ComputedPage: {
      description: 'A placeholder for pages that are generated from a source.',
      properties: { ...common, computed: 'The source of the pages.' },
      example: {
        id: 'pg_3vBm91KsLd6PqWzE8xCf',
        title: 'API reference',
        createdAt: listedPage.createdAt,
        updatedAt: listedPage.updatedAt,
        type: 'computed',
        computed: computedSource,
      },
    },
    PageType: {
      description:
        'The type of a page. `document`: a page with a text. `group`: a title with pages below it. `link`: a link in ' +
        'the navigation. `computed`: a placeholder for generated pages.',
      example: 'document',
    },
    PageLayout: {
      description: 'The layout of a page: its width and the parts that are visible.',
      properties: layoutTexts,
      example: layout,
    },
    PageCover: {
      description: 'The image at the top of a page.',
      properties: coverTexts,
      example: { ref: { kind: 'file', file: ids.file }, yPos: 0 },
    },
    PageCoverInput: {
      description: 'The image at the top of a page.',
      properties: {
        ...coverTexts,
        refDark: 'The image in dark mode. If omitted, it is the same.',
        yPos: 'How far the image is moved down, in pixels. The default is 0.',
      },
      example: { ref: { kind: 'file', file: ids.file } },
    },
    ComputedSource: {
      description: 'The source of generated pages, at most 8,192 characters as JSON.',
      properties: sourceTexts,
      example: computedSource,
    },
    ComputedSourceInput: {
      description: 'The source of generated pages. An OpenAPI specification must exist in the organization.',
      properties: sourceTexts,
      example: computedSource,
    },
    Variables: {
      description: 'Variables for expressions, by name.',
      example: variables,
    },
    GitMetadata: {
      description: 'The source file of an object in a git repository.',
      properties: {
        oid: 'The git object id of the content.',
        path: 'The path of the file in the repository.',
      },
      example: git,
    },
    TextGitMetadata: {
      description: 'The source file of a text in a git repository.',
      properties: {
        oid: 'The git object id of the text.',
        path: 'The path of the file in the repository.',
        links:
          'The source files that links refer to, by the links as they are written. Only if a single text was ' +
          'requested, and absent if the paths alone identify them.',
        linksId: 'A value that changes with `links`. Absent if there are none.',
      },
      example: git,
    },
  },
};
