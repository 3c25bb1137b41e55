import { withoutAnchor } from '@octavo/markdown';
import { RedirectSource } from '@octavo/schema';
import type { Addresses } from './addresses.ts';
import type { Layout } from './conventions/layout.ts';
import { decodeAddress, normalizePath, shownName } from './paths.ts';
import type { SourceReader } from './reader.ts';
import type { Repository } from './repository.ts';

/** The redirects of a layout that a site can have and that lead to a page; the others are told. */
export function redirectsOf(
  { redirects }: Layout,
  addresses: Addresses,
  reader: SourceReader,
): Repository['redirects'] {
  return redirects.flatMap(({ source, target, from, file }) => {
    const read = RedirectSource.safeParse(addressOfSource(source));
    if (!read.success) {
      const message = `The redirect from ${shownName(source)} is from no single address of a site, and is left out.`;
      reader.warn(file, message);
      return [];
    }
    const path = addresses.find(withoutAnchor(target), from);
    if (path !== undefined) return [{ source: read.data, path, file }];
    reader.warn(
      file,
      `The redirect from ${shownName(source)} leads to ${shownName(target)}, which is no page here, and is left out.`,
    );
    return [];
  });
}

/** The source of a redirect as sites have them: with a slash at its start and none at its end, percent-encoded. */
const addressOfSource = (source: string): string =>
  /^(?:[a-z][a-z\d+.-]*:|\/\/)|[[\]{}]/i.test(source)
    ? ''
    : `/${encodeURI(normalizePath(decodeAddress(source).toWellFormed()))}`;
