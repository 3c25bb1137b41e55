import type { RedirectRecord } from '@octavo/db';
import type { SiteRedirect } from '@octavo/schema';
import { timestamp } from '@octavo/schema';

export const shownSource = ({ source, wildcard }: Pick<RedirectRecord, 'source' | 'wildcard'>): string =>
  wildcard ? `${source}/*` : source;

export const presentRedirect = (redirect: RedirectRecord): SiteRedirect => ({
  object: 'site-redirect',
  id: redirect.id,
  source: shownSource(redirect),
  draft: redirect.draft,
  captureWildcard: redirect.captureWildcard,
  permanent: redirect.permanent,
  destination: redirect.destination,
  createdAt: timestamp(redirect.createdAt),
  ...(redirect.updatedAt === redirect.createdAt ? {} : { updatedAt: timestamp(redirect.updatedAt) }),
});
