import * as z from 'zod';
import { Id } from '../ids.ts';
import { OpenAPISlug } from '../publishing/openapi-spec.ts';
import { webAddress } from '../web-address.ts';

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

/** A cover as clients write it. */
export const PageCoverInput = z
  .object({ ref: CoverReferenceInput, refDark: CoverReferenceInput.optional(), yPos: z.number().default(0) })
  .meta({ id: 'PageCoverInput' });

export const pageWidths = ['default', 'wide'] as const;
export const coverSizes = ['hero', 'full', 'background'] as const;
export const coverMasks = ['none', 'radial'] as const;

/** How a page is laid out, and which of its parts are shown. */
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

/** How a page is laid out that says nothing of it. */
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

/** Pages nest no deeper. */
const maxTreeDepth = 32;

/** How many levels of pages are wanted, as it stands in a query. */
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
      description:
        'Levels of pages below the top of the tree, or below the page: 0 none, 1 its children, and so on; all when left out. Pages of the last level come with no `pages`, whatever is below them.',
    },
  });

const maxSourceCharacters = 8192;
const SourceValues = z.record(z.string(), z.unknown());

/** Where a computed page comes from (resolved.md, row 56). */
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

/** What a page is made from that is made of an OpenAPI specification, one of its space's organization. */
const OpenAPIComputed = z.object({
  props: z.object({ models: z.boolean().optional() }).optional(),
  dependencies: z.object({
    spec: z.object({ ref: z.object({ kind: z.literal('openapi'), spec: OpenAPISlug }) }),
  }),
});

/** The same as clients write it. */
export const ComputedSourceInput = ComputedSource.superRefine((source, { addIssue }) => {
  if (source.type !== 'builtin:openapi') return;
  const { error } = OpenAPIComputed.safeParse(source);
  for (const { path, message } of error?.issues ?? []) addIssue({ code: 'custom', path, message, input: source });
}).meta({ id: 'ComputedSourceInput' });

/** The integration that makes pages, and which of its content sources, where one does. */
export const integratedBy = ({ type }: Pick<ComputedSource, 'type'>): { name: string; source: string } | undefined => {
  const [kind, name = '', source = ''] = type.split(':');
  return kind === 'integration' ? { name, source } : undefined;
};

/** The slug of the specification that pages are made of, where they are made of one. */
export const specOf = (source: ComputedSource): string | undefined =>
  source.type === 'builtin:openapi' ? OpenAPIComputed.safeParse(source).data?.dependencies.spec.ref.spec : undefined;
