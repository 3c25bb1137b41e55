import * as z from 'zod';
import { Id } from '../ids.ts';

export const maxSourceLength = 512;

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

/** The sources that may apply to a path: it itself, then those of wildcards, the longest first. */
export function redirectSources(path: string): string[] {
  const parts = partsOf(path);
  const above = parts.slice(1, maxSourceLength / 2).map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
  const exact = redirectPath(path);
  return [
    exact.length > maxSourceLength ? '' : exact,
    ...above.filter((source) => source.length <= maxSourceLength).reverse(),
  ];
}
