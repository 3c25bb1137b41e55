import * as z from 'zod';
import { Id } from '../ids.ts';

const CoverReference = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), file: z.string() }),
  z.object({ kind: z.literal('url'), url: z.string() }),
]);

export const PageCover = z
  .object({ ref: CoverReference, refDark: CoverReference.optional(), yPos: z.number() })
  .meta({ id: 'PageCover' });

const coverAddress = z.url({ protocol: /^https?$/ }).max(2048);
const CoverReferenceInput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), file: Id }),
  z.object({ kind: z.literal('url'), url: coverAddress }),
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
