import type { SiteId } from '@octavo/schema';
import { redirectPath, redirectSources } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { Database } from './connect.ts';
import { readRows } from './connect.ts';
import type { RecordOf } from './fields.ts';
import type { Query } from './selection.ts';
import { selection, statement } from './selection.ts';
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

const maxApplying = sql.raw('4');

/** One seek for each source that may apply: the path's own, then those of wildcards, the longest first. */
const ofSources = statement((site: SQL<SiteId>, sources: SQL<string>) =>
  redirectRow.query(sql`
    SELECT ${redirectRow} FROM json_each(${sources}) asked
    CROSS JOIN site_redirects sr INDEXED BY site_redirects_by_source
      ON sr.site = ${site} AND sr.source = asked.value AND sr.wildcard = (asked.key > 0) AND sr.draft = 0
    ORDER BY asked.key LIMIT ${maxApplying}`),
);

/** Reads the explicit redirects that may apply to a path of a site, which begins behind the site's own address. */
export const redirectsAt = (site: SiteId, path: string): Query<RedirectRecord> =>
  ofSources(site, JSON.stringify(redirectSources(path)));

/** The explicit redirects that may apply to a path of a site, the nearest first, a few at most; drafts never do. */
export const findRedirects = (db: Database, site: SiteId, path: string): Promise<RedirectRecord[]> =>
  readRows(db, redirectsAt(site, path));

/** What a wildcard stands for in a path, to be put behind the destination: '' unless the redirect takes it along. */
export const capturedBy = ({ source, wildcard, captureWildcard }: RedirectRecord, path: string): string =>
  wildcard && captureWildcard ? redirectPath(path).slice(source.length) : '';
