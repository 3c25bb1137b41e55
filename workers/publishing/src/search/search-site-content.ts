import type { Handler } from '@octavo/runtime';
import type { publishing, SiteSearchBody, SiteSearchScope } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';

/** What a search costs would tell of what is found and not shown. */
export const searchSiteContent: Handler<typeof publishing.searchSiteContent, PublishingEnvironment> = async (
  { query, body },
  { site, visitor, actor, env, absorb },
) => {
  const claims = visitor?.claims ?? null;
  const user = visitor === undefined ? (actor?.id ?? null) : (visitor.user ?? null);
  const search = { site: site.id, claims, user, query: body.query, scope: scopeOf(body), ...query };
  const found = await env.CONTENT.searchSite(search);
  const { trips } = found.cost;
  return absorb({ ...found, cost: { trips, rowsRead: 0, rowsWritten: 0 } });
};

function scopeOf(body: SiteSearchBody): SiteSearchScope {
  if ('scope' in body) return body.scope;
  if ('siteSpaceIds' in body) return { mode: 'specific', siteSpaceIds: body.siteSpaceIds };
  if (body.mode === 'all') return { mode: 'all' };
  return { mode: 'default', includedSiteSpaces: [body.siteSpaceId] };
}
