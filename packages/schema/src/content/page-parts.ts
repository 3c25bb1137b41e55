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
