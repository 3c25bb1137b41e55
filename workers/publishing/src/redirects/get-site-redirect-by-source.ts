import type { SiteRecord } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { placeAddress, shareKeyFor, siteAddress } from '@octavo/runtime';
import type { Claims, PageReading, publishing, ResolvedPage, SiteRedirect, UserId, Visitor } from '@octavo/schema';
import { notFound, timestamp } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { shareKeyHash } from '../keys/site-keys.ts';
import type { PlaceInSite } from '../resolution/find-place.ts';
import { findPlace } from '../resolution/find-place.ts';
import type { FoundSite } from '../resolution/find-site.ts';
import { findSite } from '../resolution/find-site.ts';
import type { FormerPlace } from '../resolution/former-places.ts';
import { formerPlaces, placeOfPage } from '../resolution/former-places.ts';
import { resolvePages } from '../resolution/resolve-pages.ts';
import type { AskedRedirect } from './made-redirect.ts';
import { firstOf, readingsOf } from './made-redirect.ts';

interface AskedOldAddress extends AskedRedirect {
  segments: string[];
  user: UserId | null;
  found: FoundSite;
}

type Endpoint = typeof publishing.getSiteRedirectBySource;

/** A redirect that was made comes before where a page once was; each counts only where it leads to what is shown. */
export const getSiteRedirectBySource: Handler<Endpoint, PublishingEnvironment> = async ({ query }, context) => {
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
};

const ownAddress = ({ organization, basename }: SiteRecord) =>
  ({ by: 'organization', organization, basename, depth: 0 }) as const;

const keyOf = async (env: PublishingEnvironment, visitor: Visitor | undefined, given: string | undefined) =>
  (visitor && (await shareKeyFor(env, visitor))) ?? given;

/** The segments of a path, decoded where they are well encoded. */
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

/** Where the page is now that once had the path; undefined where another has it now, or the page is not shown. */
function ofOldAddress(asked: AskedOldAddress, { place, formers, page }: Answered) {
  const { source, segments, found, shareKey, env } = asked;
  if (place === undefined || page?.isOld !== true) return undefined;
  const { section, siteSpace } = placeOfPage(place, formers, page);
  if (!isSeen(asked, siteSpace.id)) return undefined;
  const base = siteAddress(env, found.site);
  const target = placeAddress(base, { shareKey, section, siteSpace, page: page.path });
  if (target === placeAddress(base, { shareKey, page: segments.join('/') })) return undefined;
  return { redirect: redirectTo(source, siteSpace.id, page), target };
}

/** Whether a member who asks sees the space; visitors see what is found for them. */
const isSeen = ({ user, found: { claimants, siteSpaces } }: AskedOldAddress, id: string): boolean =>
  user === null || [...claimants, ...siteSpaces].some((each) => each.id === id && each.isSeen);

const redirectTo = (source: string, siteSpaceId: string, { page, movedAt }: ResolvedPage): SiteRedirect => ({
  ...{ object: 'site-redirect', id: page === '' ? siteSpaceId : page, source },
  ...{ draft: false, captureWildcard: false, permanent: false },
  destination: page === '' ? { kind: 'site-space', siteSpaceId } : { kind: 'site-page', siteSpaceId, pageId: page },
  createdAt: timestamp(movedAt ?? 0),
});
