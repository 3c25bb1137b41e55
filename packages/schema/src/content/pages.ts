import * as z from 'zod';
import { Id } from '../ids.ts';
import { queryBoolean } from '../list.ts';
import { createPointEndpoints } from '../points.ts';
import { OpenAPISlug } from '../publishing/openapi.ts';
import { createLineSchema } from '../text.ts';
import { Timestamp } from '../time.ts';
import { validate } from '../validate.ts';
import { webAddress } from '../web-address.ts';

/** The maximum length of a page title, in characters. */
export const maxTitleLength = 512;

/** A page title from any source: a change, the frontmatter of a document, a heading, or a file name. */
export const PageTitle = createLineSchema(1, maxTitleLength);

const CoverReference = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), file: z.string() }),
  z.object({ kind: z.literal('url'), url: z.string() }),
]);

export const PageCover = z
  .object({ ref: CoverReference, refDark: CoverReference.optional(), yPos: z.number() })
  .meta({ id: 'PageCover' });

const CoverReferenceInput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), file: Id }),
  z.object({ kind: z.literal('url'), url: webAddress }),
]);

/** A cover in requests. */
export const PageCoverInput = z
  .object({ ref: CoverReferenceInput, refDark: CoverReferenceInput.optional(), yPos: z.number().default(0) })
  .meta({ id: 'PageCoverInput' });

export const pageWidths = ['default', 'wide'] as const;
export const coverSizes = ['hero', 'full', 'background'] as const;
export const coverMasks = ['none', 'radial'] as const;

/** The layout of a page, with the parts that are visible. */
export const PageLayout = z
  .object({
    width: z.enum(pageWidths),
    cover: z.boolean(),
    coverSize: z.enum(coverSizes),
    coverMask: z.enum(coverMasks),
    title: z.boolean(),
    description: z.boolean(),
    tableOfContents: z.boolean(),
    outline: z.boolean(),
    pagination: z.boolean(),
    metadata: z.boolean(),
    tags: z.boolean(),
    actions: z.boolean(),
    anchors: z.boolean(),
  })
  .meta({ id: 'PageLayout' });
export type PageLayout = z.infer<typeof PageLayout>;

/** The layout of a page that does not set one. */
export const defaultPageLayout: PageLayout = {
  width: 'default',
  cover: true,
  coverSize: 'hero',
  coverMask: 'none',
  title: true,
  description: true,
  tableOfContents: true,
  outline: true,
  pagination: true,
  metadata: true,
  tags: true,
  actions: true,
  anchors: true,
};

/** Maximum nesting depth of pages. */
const maxTreeDepth = 32;

/** The number of page levels to return, from the query string. */
export const TreeDepth = z
  .string()
  .regex(/^\d{1,2}$/, `must be a whole number from 0 to ${maxTreeDepth}`)
  .transform(Number)
  .pipe(z.number().max(maxTreeDepth, `must be at most ${maxTreeDepth}`))
  .optional()
  .meta({
    override: {
      type: 'integer',
      minimum: 0,
      maximum: maxTreeDepth,
    },
  });

const maxSourceCharacters = 8192;
const SourceValues = z.record(z.string(), z.unknown());

/** The source of a computed page. */
export const ComputedSource = z
  .object({
    type: z
      .string()
      .max(256)
      .regex(
        /^(?:builtin:(?:openapi|translation)|integration:[\w-]+:[\w-]+)$/,
        'must be builtin:openapi, builtin:translation or integration:<name>:<source>',
      ),
    props: SourceValues.optional(),
    dependencies: SourceValues.optional(),
  })
  .refine(
    (source) => JSON.stringify(source).length <= maxSourceCharacters,
    `must be at most ${maxSourceCharacters} characters`,
  )
  .meta({ id: 'ComputedSource' });
export type ComputedSource = z.infer<typeof ComputedSource>;

/** The source of a page that is generated from an OpenAPI specification of the space's organization. */
const OpenAPIComputed = z.object({
  props: z.object({ models: z.boolean().optional() }).optional(),
  dependencies: z.object({
    spec: z.object({ ref: z.object({ kind: z.literal('openapi'), spec: OpenAPISlug }) }),
  }),
});

/** A `ComputedSource` in requests. */
export const ComputedSourceInput = ComputedSource.superRefine((source, { addIssue }) => {
  if (source.type !== 'builtin:openapi') return;
  const result = validate(OpenAPIComputed, source);
  if (result.success) return;
  for (const { path, message } of result.issues) addIssue({ code: 'custom', path, message, input: source });
}).meta({ id: 'ComputedSourceInput' });

/** Returns the integration that generates the pages and its content source, or undefined if no integration does. */
export const getContentSource = ({
  type,
}: Pick<ComputedSource, 'type'>): { name: string; source: string } | undefined => {
  const [kind, name = '', source = ''] = type.split(':');
  return kind === 'integration' ? { name, source } : undefined;
};

/** Returns the slug of the specification that the pages are generated from, or undefined if there is none. */
export const getSpecificationSlug = (source: ComputedSource): string | undefined =>
  source.type === 'builtin:openapi' ? OpenAPIComputed.safeParse(source).data?.dependencies.spec.ref.spec : undefined;

export const GitMetadata = z.object({ oid: z.string(), path: z.string() }).meta({ id: 'GitMetadata' });

/**
 * Extensions of the GitBook API: `links` is the map from `GitSource`, included only when a single text is read;
 * `linksId` is derived from it.
 */
export const TextGitMetadata = GitMetadata.extend({
  links: z.record(z.string(), z.string()).optional(),
  linksId: z.string().optional(),
}).meta({ id: 'TextGitMetadata' });
export type TextGitMetadata = z.infer<typeof TextGitMetadata>;

export const VariableName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/, 'must start with a letter and contain only letters, digits and underscores');

/** The value of an expression variable. */
export const VariableValue = z.union([z.string().max(256), z.number(), z.boolean()]);
export const Variables = z.record(z.string(), VariableValue).meta({ id: 'Variables' });
export type Variables = z.infer<typeof Variables>;

/**
 * A URL without a scheme or with a scheme that cannot run code. Browsers remove control characters and surrounding
 * white space, which could hide such a scheme, so both are rejected.
 */
const safeUrl = /^(?!\s)(?:(?:https?|mailto|tel):|(?![a-z][a-z0-9+.-]*:))[^\p{Cc}]*(?<!\s)$/iu;

export const SafeUrl = z
  .string()
  .max(2048)
  .refine((url) => safeUrl.test(url), 'must be an http, https or mailto URL, or a relative one');

/** The target of a link page. */
export const LinkTarget = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('url'),
    url: SafeUrl,
  }),
  z.object({ kind: z.literal('page'), page: Id, space: Id.optional() }),
  z.object({ kind: z.literal('anchor'), anchor: z.string().min(1).max(256), page: Id, space: Id.optional() }),
  z.object({ kind: z.literal('space'), space: Id }),
  z.object({ kind: z.literal('file'), file: Id }),
]);
export type LinkTarget = z.infer<typeof LinkTarget>;

export const PageType = z.enum(['document', 'group', 'link', 'computed']).meta({ id: 'PageType' });

/** Tags are not supported. Clients that expect them get an empty list. */
export const noTags = z.tuple([]).meta({ override: { type: 'array', maxItems: 0 } });

const pageBase = {
  id: z.string(),
  title: z.string(),
  emoji: z.string().optional(),
  icon: z.string().optional(),
  createdAt: Timestamp.optional(),
  updatedAt: Timestamp.optional(),
  condition: z.string().optional(),
  /** An extension of the GitBook API: the name of the folder or archive that an import read the page from. */
  importedFrom: z.string().optional(),
};

const pageFlags = {
  hidden: z.boolean().optional(),
  noIndex: z.boolean().optional(),
  noRobotsIndex: z.boolean().optional(),
};

export const LinkPage = z
  .object({
    ...pageBase,
    type: z.literal('link'),
    kind: z.literal('link'),
    target: LinkTarget,
    href: z.string().optional(),
    hidden: z.boolean().optional(),
  })
  .meta({ id: 'LinkPage' });

export const ComputedPage = z
  .object({ ...pageBase, type: z.literal('computed'), computed: ComputedSource, hidden: z.boolean().optional() })
  .meta({ id: 'ComputedPage' });

const documentFields = {
  ...pageBase,
  ...pageFlags,
  type: z.literal('document'),
  kind: z.literal('sheet'),
  urls: z.object({ app: z.string() }),
  slug: z.string(),
  path: z.string(),
  description: z.string().optional(),
  documentId: z.string().optional(),
  markdown: z.string().optional(),
  document: z.unknown().optional(),
  git: TextGitMetadata.optional(),
  /**
   * An extension of the GitBook API, only when a single page is read: the ids of resolved link targets, by the
   * targets as they are written, without anchors.
   */
  links: z.record(z.string(), z.string()).optional(),
  layout: PageLayout,
  cover: PageCover.optional(),
  variables: Variables.optional(),
  tags: noTags,
  computed: ComputedSource.optional(),
  computedSeed: z.string().optional(),
};

type Fields = z.infer<z.ZodObject<typeof documentFields>>;
export interface DocumentPage extends Fields {
  pages: (DocumentPage | LinkPage | ComputedPage)[];
}

export const DocumentPage = z
  .object({
    ...documentFields,
    get pages(): z.ZodArray<z.ZodType<DocumentPage | LinkPage | ComputedPage>> {
      return z.array(z.union([DocumentPage, LinkPage, ComputedPage]));
    },
  })
  .meta({ id: 'DocumentPage' });

export const GroupPage = z
  .object({
    ...pageBase,
    ...pageFlags,
    type: z.literal('group'),
    kind: z.literal('group'),
    slug: z.string(),
    path: z.string(),
    pages: z.array(z.union([DocumentPage, LinkPage, ComputedPage])),
  })
  .meta({ id: 'GroupPage' });

export const Page = z.union([DocumentPage, GroupPage, LinkPage, ComputedPage]).meta({ id: 'Page' });
export type Page = z.infer<typeof Page>;
export type ComputedPage = z.infer<typeof ComputedPage>;
export type GroupPage = z.infer<typeof GroupPage>;
export type LinkPage = z.infer<typeof LinkPage>;

/** A tree of pages. `type` distinguishes the kinds of pages. */
export const PageTree = z.object({ pages: z.array(Page) }).meta({ id: 'PageTree' });

/** Options for reading content: `metadata` includes git metadata, `computed` includes generated pages. */
export const ContentQuery = z.object({ metadata: queryBoolean(true), computed: queryBoolean(true) });
export type ContentQuery = z.output<typeof ContentQuery>;

/** Options for reading a tree of pages. `depth` is the number of levels below the requested one. */
export const PagesQuery = ContentQuery.extend({
  depth: TreeDepth,
});
export type PagesQuery = z.output<typeof PagesQuery>;

export const ContentFormat = z.enum(['markdown', 'document']).optional().default('markdown');
export type ContentFormat = z.infer<typeof ContentFormat>;

/** All evaluation is deterministic, so `deterministic-only` is the same as `true`. */
const Evaluated = z
  .enum(['true', 'false', 'deterministic-only'])
  .optional()
  .transform((value) => value !== undefined && value !== 'false')
  .meta({ override: { enum: [true, false, 'deterministic-only'], default: false } });

/**
 * Whether included contents replace the references to them. Only reusable contents can be included, so
 * `reusable-contents` is the same as `true`.
 */
const Dereferenced = z
  .enum(['true', 'false', 'reusable-contents'])
  .optional()
  .transform((value) => value !== undefined && value !== 'false')
  .meta({ override: { enum: [true, false, 'reusable-contents'], default: false } });

/**
 * Options for reading a text: `evaluated` replaces expressions and conditions with their results, `dereferenced`
 * replaces includes with their content.
 */
export const DocumentQuery = z.object({ evaluated: Evaluated, dereferenced: Dereferenced });
export type DocumentQuery = z.output<typeof DocumentQuery>;

export const PageContentQuery = PagesQuery.extend({
  format: ContentFormat,
  ...DocumentQuery.shape,
  /**
   * In Markdown, links within the space are either as written (`relative`), or use ids that stay valid when pages move
   * (`stable`).
   */
  'format.markdown.refs': z.enum(['relative', 'stable']).optional().default('relative'),
});
export type PageContentQuery = z.output<typeof PageContentQuery>;

const readOptions = {
  method: 'GET',
  scope: 'space:read',
  success: 200,
  cache: 'revision',
  visitors: 'allowed',
} as const;

export const pageEndpoints = createPointEndpoints({
  listPages: {
    ...readOptions,
    path: '/content/pages',
    query: PagesQuery,
    response: PageTree,
    at: {
      live: { id: 'listPages', summary: 'Get the page tree of the live content' },
      changeRequest: { id: 'listPagesInChangeRequest', summary: 'Get the page tree of a change request' },
      revision: { id: 'listPagesInRevisionById', summary: 'Get the page tree of a revision' },
    },
  },
  getPageById: {
    ...readOptions,
    path: '/content/page/:pageId',
    params: z.object({ pageId: Id }),
    query: PageContentQuery,
    response: Page,
    at: {
      live: { id: 'getPageById', summary: 'Get a page of the live content' },
      changeRequest: { id: 'getPageInChangeRequestById', summary: 'Get a page of a change request' },
      revision: { id: 'getPageInRevisionById', summary: 'Get a page of a revision' },
    },
  },
  getPageByPath: {
    ...readOptions,
    path: '/content/path/:pagePath+',
    params: z.object({ pagePath: z.string().min(1).max(4096) }),
    query: PageContentQuery,
    response: Page,
    at: {
      live: { id: 'getPageByPath', summary: 'Get a page of the live content by its path' },
      changeRequest: { id: 'getPageInChangeRequestByPath', summary: 'Get a page of a change request by its path' },
      revision: { id: 'getPageInRevisionByPath', summary: 'Get a page of a revision by its path' },
    },
  },
});
