import type { SiteRecord } from '@octavo/db';
import { findShareKey, getLocationUrl, getSiteUrl } from '@octavo/runtime';
import type { Claims, PageReading, ResolvedPage, SiteRedirect, UserId, Visitor } from '@octavo/schema';
import { formatTimestamp, notFound } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { type FoundSite, findSite } from '../resolution/find-site.ts';
import type { FormerLocation, RedirectRequest, SiteLocation } from '../resolution/locations.ts';
import {
  findFirstRedirect,
  findFormerLocations,
  findLocation,
  getDestinationReadings,
  getPageLocation,
} from '../resolution/locations.ts';
import { resolvePages } from '../resolution/resolve-address.ts';
import { hashShareKey } from '../resolution/visitors.ts';

interface FormerAddress extends RedirectRequest {
  segments: string[];
  user: UserId | null;
  site: FoundSite;
}

/** Configured redirects precede former addresses of pages. Each applies only if the caller can see its target. */
export const getSiteRedirectBySource = handler('getSiteRedirectBySource', async ({ query }, context) => {
  const { site, visitor, actor, db, env } = context;
  const { source, shareKey } = query;
  const claims = visitor?.claims ?? null;
  const user = visitor === undefined ? (actor?.id ?? null) : (visitor.user ?? null);
  const hashes = shareKey === undefined ? [] : [await hashShareKey(shareKey)];
  const segments = toSegments(source);
  const foundSite = await findSite(db, { candidates: [toSiteCandidate(site)], segments, hashes, isKeyed: false, user });
  if (foundSite === undefined) throw notFound('redirect');
  const key = await getKey(env, visitor, foundSite.links.length > 0 ? shareKey : undefined);
  const formerAddress: FormerAddress = { source, segments, claims, user, site: foundSite, shareKey: key, env };
  const location = findLocation(foundSite, segments, claims);
  const formerLocations = location === undefined ? [] : findFormerLocations(foundSite, { segments, claims, location });
  const [page = null, ...pages] = await resolvePages(context, [
    location === undefined ? null : pickReadingOptions(location, formerLocations, claims),
    ...getDestinationReadings(foundSite, claims),
  ]);
  const redirect =
    findFirstRedirect(pages, formerAddress) ??
    redirectFormerAddress(formerAddress, { location, formerLocations, page });
  if (redirect === undefined) throw notFound('redirect');
  return redirect;
});

const toSiteCandidate = ({ organization, basename }: SiteRecord) =>
  ({ by: 'organization', organization, basename, depth: 0 }) as const;

const getKey = async (env: PublishingEnvironment, visitor: Visitor | undefined, givenKey: string | undefined) =>
  (visitor && (await findShareKey(env, visitor))) ?? givenKey;

/** Splits a path into segments. Malformed segments stay encoded. */
const toSegments = (path: string): string[] =>
  path.split('/').flatMap((segment) => (segment === '' ? [] : [decodeSegment(segment)]));

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function pickReadingOptions(
  { siteSpace, rest }: SiteLocation,
  formerLocations: FormerLocation[],
  claims: Claims | null,
): PageReading {
  const formerPaths = formerLocations.map(({ formerPath }) => formerPath);
  return { space: siteSpace.space, path: rest.join('/'), claims, former: formerPaths };
}

interface ResolvedPath {
  location: SiteLocation | undefined;
  formerLocations: FormerLocation[];
  page: ResolvedPage | null;
}

/**
 * Redirects a former path of a page to its current one; undefined if another page has the path now, or the page is
 * hidden.
 */
function redirectFormerAddress(address: FormerAddress, { location, formerLocations, page }: ResolvedPath) {
  const { source, segments, site, shareKey, env } = address;
  if (location === undefined || page?.isOld !== true) return undefined;
  const { section, siteSpace } = getPageLocation(location, formerLocations, page);
  if (!isSeen(address, siteSpace.id)) return undefined;
  const base = getSiteUrl(env, site.site);
  const target = getLocationUrl(base, { shareKey, section, siteSpace, page: page.path });
  if (target === getLocationUrl(base, { shareKey, page: segments.join('/') })) return undefined;
  return { redirect: redirectTo(source, siteSpace.id, page), target };
}

/** Whether a member can see the space. For visitors, the query has already filtered hidden spaces. */
const isSeen = ({ user, site: { pathUsers, siteSpaces } }: FormerAddress, id: string): boolean =>
  user === null || [...pathUsers, ...siteSpaces].some((each) => each.id === id && each.isSeen);

const redirectTo = (source: string, siteSpaceId: string, { page, movedAt }: ResolvedPage): SiteRedirect => ({
  ...{ object: 'site-redirect', id: page === '' ? siteSpaceId : page, source },
  ...{ draft: false, captureWildcard: false, permanent: false },
  destination: page === '' ? { kind: 'site-space', siteSpaceId } : { kind: 'site-page', siteSpaceId, pageId: page },
  createdAt: formatTimestamp(movedAt ?? 0),
});
