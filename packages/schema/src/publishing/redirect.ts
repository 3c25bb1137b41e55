import * as z from 'zod';
import { Id } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { webAddress } from '../web-address.ts';

export const maxSourceLength = 512;

/** Where a redirect leads. */
export const RedirectDestination = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('site-section'), siteSectionId: Id }),
    z.object({ kind: z.literal('site-space'), siteSpaceId: Id }),
    z.object({ kind: z.literal('site-page'), siteSpaceId: Id, pageId: Id }),
    z.object({ kind: z.literal('external'), url: webAddress }),
  ])
  .meta({ id: 'RedirectDestination' });
export type RedirectDestination = z.infer<typeof RedirectDestination>;

const sourcePath = /^(?:\/(?:[A-Za-z0-9\-._~+]|%[0-9A-Fa-f]{2})+)+(?:\/\*)?$/;

/** A path of a site; with `/*` at its end all that is below it. */
export const RedirectSource = z
  .string()
  .max(maxSourceLength)
  .regex(sourcePath, 'must be a path that begins with a slash, with /* at its end at most')
  .refine(
    (source) => redirectPath(source.replace(/\/\*$/, '')).length <= maxSourceLength,
    'is too long when it is encoded',
  )
  .meta({ id: 'RedirectSource' });

/** A source as it is stored: without the wildcard. */
export const storedSource = (source: string): { source: string; wildcard: boolean } => ({
  source: redirectPath(source.replace(/\/\*$/, '')),
  wildcard: source.endsWith('/*'),
});

/** A redirect that was made; where one is looked up, also that of a page from where it once was. */
export const SiteRedirect = z
  .object({
    object: z.literal('site-redirect'),
    id: z.string(),
    source: z.string(),
    draft: z.boolean(),
    captureWildcard: z.boolean(),
    permanent: z.boolean(),
    destination: RedirectDestination,
    createdAt: Timestamp,
    updatedAt: Timestamp.optional(),
  })
  .meta({ id: 'SiteRedirect' });
export type SiteRedirect = z.infer<typeof SiteRedirect>;

/** The parts of a path of a site in the one form in which they are compared: what needs no escape has none. */
const partsOf = (path: string): string[] =>
  path
    .split('/')
    .filter((part) => part !== '')
    .map((part) =>
      encodeURIComponent(decoded(part))
        .replace(/[!'()*]/g, escaped)
        .replaceAll('%2B', '+'),
    );

const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part).toWellFormed();
  } catch {
    return part.toWellFormed();
  }
}

/** A path as the sources of redirects are stored: from the site on, begins with a slash, ends without. */
export const redirectPath = (path: string): string => `/${partsOf(path).join('/')}`;
