import * as z from 'zod';
import { ComputedSourceInput } from '../content/page-parts.ts';
import { LinkTarget } from '../content/pages.ts';
import { PageTitle } from '../content/title.ts';
import { Emoji } from '../emoji.ts';
import { lineOfText } from '../text.ts';

/** Into so many pages an integration makes a computed page. */
export const maxComputedPages = 100;

const shown = {
  title: PageTitle,
  emoji: Emoji.optional(),
  icon: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be the name of an icon')
    .optional(),
};

const written = {
  ...shown,
  slug: z.string().min(1).max(100).optional(),
  description: lineOfText(0, 300).optional(),
  computed: ComputedSourceInput.optional(),
  pages: z.array(z.unknown()).max(maxComputedPages).optional(),
};

const notOfLinks = z.undefined('is nothing that a link has').optional();

/** A page as an integration answers `content_compute_revision`; each of `pages` is one again. */
export const ComputedPageAnswer = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('document'), ...written }),
    z.object({ type: z.literal('group'), ...written }),
    z.object({
      type: z.literal('link'),
      ...shown,
      target: LinkTarget,
      ...{ slug: notOfLinks, description: notOfLinks, computed: notOfLinks, pages: notOfLinks },
    }),
  ],
  'must be document, group or link: no other page is made by a script',
);
export type ComputedPageAnswer = z.infer<typeof ComputedPageAnswer>;

/** The whole of such an answer. */
export const ComputedRevisionAnswer = z.object({
  pages: z.array(z.unknown()).max(maxComputedPages),
  files: z
    .array(z.unknown())
    .max(0, 'must be left out: no files are kept of what a script makes, and images name an address')
    .optional(),
});

/** An answer to `content_compute_document`; whoever keeps the document looks at what is in it. */
export const ComputedDocumentAnswer = z.object({ document: z.looseObject({ nodes: z.array(z.unknown()) }) });
