import type { SiteSearchBody, SiteSearchScope } from '@octavo/schema';
import { handler } from '../handler.ts';

/** The number of rows read is not reported, since it would reveal hidden results. */
export const searchSiteContent = handler(
  'searchSiteContent',
  async ({ query, body }, { site, visitor, actor, env, absorb }) => {
    const claims = visitor?.claims ?? null;
    const user = visitor === undefined ? (actor?.id ?? null) : (visitor.user ?? null);
    const search = { site: site.id, claims, user, query: body.query, scope: getScope(body), ...query };
    const results = await env.CONTENT.searchSite(search);
    const { trips } = results.cost;
    return absorb({ ...results, cost: { trips, rowsRead: 0, rowsWritten: 0 } });
  },
);

function getScope(body: SiteSearchBody): SiteSearchScope {
  if ('scope' in body) return body.scope;
  if ('siteSpaceIds' in body) return { mode: 'specific', siteSpaceIds: body.siteSpaceIds };
  if (body.mode === 'all') return { mode: 'all' };
  return { mode: 'default', includedSiteSpaces: [body.siteSpaceId] };
}
