import type { Check, SiteRecord } from '@octavo/db';
import type { RedirectDestination } from '@octavo/schema';
import { conflict, invalid } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { siteThere } from '../sites/write-site.ts';
import { placesStay } from './destinations.ts';

const maxRedirects = 5000;

/** What must hold of a site and of where its redirects lead when they are written. */
export const redirectChecks = (site: SiteRecord, destinations: RedirectDestination[]): Check[] => [
  siteThere(site),
  {
    holds: placesStay(site.id, destinations),
    otherwise: () => invalid([{ path: 'body.destination', message: 'names nothing of this site' }]),
  },
  {
    holds: sql`(SELECT COUNT(*) FROM site_redirects WHERE site = ${site.id}) <= ${maxRedirects}`,
    otherwise: () => conflict(`A site has at most ${maxRedirects} redirects.`),
    heldBy: 'outcome',
  },
];

interface Sourced {
  id: string;
  source: string;
  wildcard: boolean;
  draft: boolean;
}

/** No other redirect of the site has the source; a draft and a live one may have the same. */
export const isFree = (site: SiteRecord, { id, source, wildcard, draft }: Sourced): Check => ({
  holds: sql`NOT EXISTS (SELECT 1 FROM site_redirects WHERE site = ${site.id} AND source = ${source}
    AND wildcard = ${Number(wildcard)} AND draft = ${Number(draft)} AND id <> ${id})`,
  heldBy: 'constraint',
  otherwise: () => conflict(`There is a redirect from ${source}${wildcard ? '/*' : ''} already.`),
});
