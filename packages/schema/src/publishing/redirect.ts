import * as z from 'zod';
import { Id } from '../ids.ts';

/** Where a redirect leads. */
export const RedirectDestination = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('site-section'), siteSectionId: Id }),
    z.object({ kind: z.literal('site-space'), siteSpaceId: Id }),
    z.object({ kind: z.literal('site-page'), siteSpaceId: Id, pageId: Id }),
    z.object({ kind: z.literal('external'), url: z.url({ protocol: /^https?$/ }).max(2048) }),
  ])
  .meta({ id: 'RedirectDestination' });
export type RedirectDestination = z.infer<typeof RedirectDestination>;
