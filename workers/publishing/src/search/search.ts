import type { Connection } from '@octavo/db';
import type { Claims, Metered, SiteSearch, SiteSearchBody, SiteSearchScope, UserId, Visitor } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';

export const searchSiteContent = handler(
  'searchSiteContent',
  ({ query, body }, { site, visitor, actor, ...context }) => {
    const search = { ...getSearcher(visitor, actor), query: body.query, scope: getScope(body), ...query };
    return searchSite({ site: site.id, ...search }, context);
  },
);

export const suggestSiteContent = handler(
  'suggestSiteContent',
  ({ query, body }, { site, visitor, actor, ...context }) =>
    suggestInSite({ site: site.id, ...getSearcher(visitor, actor), ...body, ...query }, context),
);

interface SearchContext extends Pick<Connection, 'callWorker'> {
  env: PublishingEnvironment;
}

/** Searches the pages of a site. */
export const searchSite = (search: SiteSearch, { env, callWorker }: SearchContext) =>
  callWorker((bookmark) => env.CONTENT.searchSite(search, bookmark).then(hideCost));

/** Searches the titles and headings of a site. */
export const suggestInSite = (search: SiteSearch, { env, callWorker }: SearchContext) =>
  callWorker((bookmark) => env.CONTENT.suggestInSite(search, bookmark).then(hideCost));

/** Returns the claims of a visitor, and the user whose spaces are searched: the member, or the user of a preview. */
const getSearcher = (
  visitor: Visitor | undefined,
  actor: { id: UserId } | undefined,
): { claims: Claims | null; user: UserId | null } =>
  visitor === undefined
    ? { claims: null, user: actor?.id ?? null }
    : { claims: visitor.claims, user: visitor.user ?? null };

/** The number of rows read is not reported, since it would reveal hidden results. */
const hideCost = <Value>(results: Metered<Value>): Metered<Value> => ({
  ...results,
  cost: { ...results.cost, rowsRead: 0, rowsWritten: 0 },
});

function getScope(body: SiteSearchBody): SiteSearchScope {
  if ('scope' in body) return body.scope;
  if ('siteSpaceIds' in body) return { mode: 'specific', siteSpaceIds: body.siteSpaceIds };
  if (body.mode === 'all') return { mode: 'all' };
  return { mode: 'default', includedSiteSpaces: [body.siteSpaceId] };
}
