import { redirectPath } from '@octavo/schema';
import { aliasedTable } from 'drizzle-orm';
import type { RecordOf } from './fields.ts';
import { selection } from './selection.ts';
import { siteRedirects } from './sites.ts';

const sr = aliasedTable(siteRedirects, 'sr');

/** Of `site_redirects sr`. */
export const redirectRow = selection({
  id: sr.id,
  source: sr.source,
  wildcard: sr.wildcard,
  destination: sr.destination,
  draft: sr.draft,
  permanent: sr.permanent,
  captureWildcard: sr.captureWildcard,
  createdAt: sr.createdAt,
  updatedAt: sr.updatedAt,
});

export type RedirectRecord = RecordOf<typeof redirectRow>;

/** What a wildcard stands for in a path, to be put behind the destination: '' unless the redirect takes it along. */
export const capturedBy = ({ source, wildcard, captureWildcard }: RedirectRecord, path: string): string =>
  wildcard && captureWildcard ? redirectPath(path).slice(source.length) : '';
