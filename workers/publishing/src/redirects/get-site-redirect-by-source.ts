import type { SiteRecord } from '@octavo/db';
import { findShareKey, getLocationUrl, getSiteUrl } from '@octavo/runtime';
import type { Claims, PageReading, ResolvedPage, SiteRedirect, UserId, Visitor } from '@octavo/schema';
import { notFound, timestamp } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { type FoundSite, findSite } from '../resolution/find-site.ts';
import { type FormerPlace, findPlace, formerPlaces, type PlaceInSite, placeOfPage } from '../resolution/places.ts';
import { resolvePages } from '../resolution/resolve-address.ts';
import { shareKeyHash } from '../resolution/visitors.ts';
import type { AskedRedirect } from './apply-redirects.ts';
import { firstOf, readingsOf } from './apply-redirects.ts';

interface AskedOldAddress extends AskedRedirect {
  segments: string[];
  user: UserId | null;
  found: FoundSite;
}

/** Configured redirects precede former addresses of pages. Each applies only if its target is shown to the caller. */
export const getSiteRedirectBySource = handler('getSiteRedirectBySource', async ({ query }, context) => {
  const { site, visitor, actor, db, env } = context;
  const { source, shareKey } = query;
  const claims = visitor?.claims ?? null;
  const user = visitor === undefined ? (actor?.id ?? null) : (visitor.user ?? null);
  const hashes = shareKey === undefined ? [] : [await shareKeyHash(shareKey)];
  const segments = segmentsOf(source);
  const found = await findSite(db, { candidates: [ownAddress(site)], segments, hashes, isKeyed: false, user });
  if (found === undefined) throw notFound('redirect');
  const key = await keyOf(env, visitor, found.links.length > 0 ? shareKey : undefined);
  const asked: AskedOldAddress = { source, segments, claims, user, found, shareKey: key, env };
  const place = findPlace(found, segments, claims);
  const formers = place === undefined ? [] : formerPlaces(found, { segments, claims, place });
  const [page = null, ...pages] = await resolvePages(context, [
    place === undefined ? null : readingOf(place, formers, claims),
    ...readingsOf(found, claims),
  ]);
  const answer = firstOf(pages, asked) ?? ofOldAddress(asked, { place, formers, page });
  if (answer === undefined) throw notFound('redirect');
  return answer;
});

const ownAddress = ({ organization, basename }: SiteRecord) =>
  ({ by: 'organization', organization, basename, depth: 0 }) as const;

const keyOf = async (env: PublishingEnvironment, visitor: Visitor | undefined, given: string | undefined) =>
  (visitor && (await findShareKey(env, visitor))) ?? given;

/** Splits a path into segments. Malformed segments stay encoded. */
const segmentsOf = (path: string): string[] =>
  path.split('/').flatMap((segment) => (segment === '' ? [] : [decoded(segment)]));

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function readingOf({ siteSpace, rest }: PlaceInSite, formers: FormerPlace[], claims: Claims | null): PageReading {
  const former = formers.map(({ reading }) => reading);
  return { space: siteSpace.space, path: rest.join('/'), claims, former };
}

interface Answered {
  place: PlaceInSite | undefined;
  formers: FormerPlace[];
  page: ResolvedPage | null;
}

/** Redirects a former path to the page's current one; undefined if another page has the path now, or the page is hidden. */
function ofOldAddress(asked: AskedOldAddress, { place, formers, page }: Answered) {
  const { source, segments, found, shareKey, env } = asked;
  if (place === undefined || page?.isOld !== true) return undefined;
  const { section, siteSpace } = placeOfPage(place, formers, page);
  if (!isSeen(asked, siteSpace.id)) return undefined;
  const base = getSiteUrl(env, found.site);
  const target = getLocationUrl(base, { shareKey, section, siteSpace, page: page.path });
  if (target === getLocationUrl(base, { shareKey, page: segments.join('/') })) return undefined;
  return { redirect: redirectTo(source, siteSpace.id, page), target };
}

/** Whether a member can see the space. For visitors, the query has already filtered them. */
const isSeen = ({ user, found: { claimants, siteSpaces } }: AskedOldAddress, id: string): boolean =>
  user === null || [...claimants, ...siteSpaces].some((each) => each.id === id && each.isSeen);

const redirectTo = (source: string, siteSpaceId: string, { page, movedAt }: ResolvedPage): SiteRedirect => ({
  ...{ object: 'site-redirect', id: page === '' ? siteSpaceId : page, source },
  ...{ draft: false, captureWildcard: false, permanent: false },
  destination: page === '' ? { kind: 'site-space', siteSpaceId } : { kind: 'site-page', siteSpaceId, pageId: page },
  createdAt: timestamp(movedAt ?? 0),
});
