import { getCapturedPath, type RedirectRecord } from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import { getLocationUrl, getSiteUrl, withAnchor } from '@octavo/runtime';
import type { Claims, PageReading, ResolvedPage, SiteRedirect } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { FoundSite } from '../resolution/find-site.ts';
import type { ConfiguredRedirect } from '../resolution/queries.ts';

/** A requested path of a site, which a redirect may apply to. */
export interface RedirectRequest {
  source: string;
  /** The claims of a visitor; null for a member, who sees items with any condition. */
  claims: Claims | null;
  site: Pick<FoundSite, 'site' | 'redirects'>;
  shareKey: string | undefined;
  env: PublishingEnvironment;
}

/** Returns the page to look up for each redirect; null if its destination is not a page. */
export const getReadings = (
  { redirects }: Pick<FoundSite, 'redirects'>,
  claims: Claims | null,
): (PageReading | null)[] =>
  redirects.map(({ destination, siteSpace }) =>
    destination.kind === 'site-page' && siteSpace !== null
      ? { space: siteSpace.space, path: '', page: destination.pageId, claims }
      : null,
  );

interface AppliedRedirect {
  redirect: SiteRedirect;
  target: string;
}

/** Returns the first redirect whose destination exists and is visible. `pages` are the results of `getReadings`. */
export function findFirstRedirect(
  pages: (ResolvedPage | null)[],
  request: RedirectRequest,
): AppliedRedirect | undefined {
  for (const [index, redirect] of request.site.redirects.entries()) {
    const target = getTarget(redirect, pages[index] ?? null, request);
    const captured = getCapturedPath(redirect, request.source);
    if (redirect.destination.kind !== 'external' && isPreviewPath(captured)) continue;
    const fullTarget = target && appendPath(target, captured);
    if (fullTarget !== undefined) return { redirect: presentRedirect(redirect), target: fullTarget };
  }
  return undefined;
}

export const getShownSource = ({ source, wildcard }: Pick<RedirectRecord, 'source' | 'wildcard'>): string =>
  wildcard ? `${source}/*` : source;

export const presentRedirect = (redirect: RedirectRecord): SiteRedirect => ({
  object: 'site-redirect',
  id: redirect.id,
  source: getShownSource(redirect),
  draft: redirect.draft,
  captureWildcard: redirect.captureWildcard,
  permanent: redirect.permanent,
  destination: redirect.destination,
  createdAt: formatTimestamp(redirect.createdAt),
  ...(redirect.updatedAt === redirect.createdAt ? {} : { updatedAt: formatTimestamp(redirect.updatedAt) }),
});

/** Whether a captured path would lead to a preview, such as `~/changes/<id>`, or another path that is not a page's. */
const isPreviewPath = (captured: string): boolean => /^\/(?:~|%7e)(?:\/|$)/i.test(captured);

/** Whether a captured path could escape the destination's path, also after further decoding. */
const escapesTarget = (captured: string): boolean =>
  /(?:^|[/\\])\.{1,2}(?:[/\\]|$)|\\/.test(
    captured.replace(/%(?:25)*(2e|2f|5c)/gi, (_, code) => decodeURIComponent(`%${code}`)),
  );

/** Appends the captured path to a URL; undefined if it would escape the destination's path. */
function appendPath(target: string, captured: string): string | undefined {
  if (captured === '') return target;
  if (escapesTarget(captured)) return undefined;
  const url = new URL(target);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${captured}`;
  return url.href;
}

function getTarget(
  { destination, siteSpace, section }: ConfiguredRedirect,
  page: ResolvedPage | null,
  { claims, site: { site }, shareKey, env }: RedirectRequest,
): string | undefined {
  if (destination.kind === 'external') return new URL(destination.url).href;
  if (siteSpace === null) return undefined;
  const conditions = claims === null ? [] : [siteSpace.condition, section?.condition];
  const isShown = conditions.every((condition) => isShownTo(condition, claims ?? {}));
  if (!isShown || (destination.kind === 'site-page' && page === null)) return undefined;
  const target = { shareKey, section: section ?? undefined, siteSpace };
  const url = getLocationUrl(getSiteUrl(env, site), { ...target, page: page?.path });
  return withAnchor(url, destination.kind === 'site-page' ? destination.anchor : undefined);
}
