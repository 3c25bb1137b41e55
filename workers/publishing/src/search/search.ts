import type { Claims, Metered, SiteSearchBody, SiteSearchScope, UserId, Visitor } from '@octavo/schema';
import { handler } from '../handler.ts';

export const searchSiteContent = handler(
  'searchSiteContent',
  async ({ query, body }, { site, visitor, actor, env, absorb }) => {
    const searcher = getSearcher(visitor, actor);
    const search = { site: site.id, ...searcher, query: body.query, scope: getScope(body), ...query };
    return absorb(hideCost(await env.CONTENT.searchSite(search)));
  },
);

export const suggestSiteContent = handler(
  'suggestSiteContent',
  async ({ query, body }, { site, visitor, actor, env, absorb }) => {
    const search = { site: site.id, ...getSearcher(visitor, actor), ...body, ...query };
    return absorb(hideCost(await env.CONTENT.suggestInSite(search)));
  },
);

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
