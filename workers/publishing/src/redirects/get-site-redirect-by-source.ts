import type { SiteRecord } from '@octavo/db';
import { findRedirects } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { placeAddress, shareKeyFor, siteAddress } from '@octavo/runtime';
import type { publishing, ResolvedPage, SiteRedirect, Visitor } from '@octavo/schema';
import { notFound, timestamp } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { shareKeyHash } from '../keys/site-keys.ts';
import { findPlace } from '../resolution/find-place.ts';
import type { FoundSite } from '../resolution/find-site.ts';
import { findSite } from '../resolution/find-site.ts';
import { formerPlaces, placeOfPage } from '../resolution/former-places.ts';
import { findDestination } from './find-destination.ts';
import type { AskedRedirect } from './made-redirect.ts';
import { firstOf } from './made-redirect.ts';

interface AskedOldAddress extends AskedRedirect {
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
  const [found, made] = await Promise.all([
    findSite(db, { candidates: [ownAddress(site)], segments: segmentsOf(source), hashes, user }),
    findRedirects(db, site.id, source),
  ]);
  if (found === undefined) throw notFound('redirect');
  const isKey = found.links.length > 0;
  const key = await keyOf(env, visitor, isKey ? shareKey : undefined);
  const asked: AskedOldAddress = { source, reader: { claims, user }, found, shareKey: key, context };
  const answer = (await firstOf(made, asked)) ?? (await ofOldAddress(asked));
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

/** Where the page is now that once had the path; undefined where another has it now, or the page is not shown. */
async function ofOldAddress(asked: AskedOldAddress) {
  const { source, reader, found, shareKey, context } = asked;
  const { env, absorb } = context;
  const segments = segmentsOf(source);
  const place = findPlace(found, segments, reader.claims);
  if (place === undefined) return undefined;
  const formers = formerPlaces(found, { segments, claims: reader.claims, place });
  const path = place.rest.join('/');
  const former = formers.map(({ reading }) => reading);
  const reading = { space: place.siteSpace.space, path, claims: reader.claims, former };
  const page = absorb(await env.CONTENT.resolvePage(reading));
  if (page?.isOld !== true) return undefined;
  const { section, siteSpace } = placeOfPage(place, formers, page);
  if (!(await isSeen(asked, siteSpace.id))) return undefined;
  const base = siteAddress(env, found.site);
  const target = placeAddress(base, { shareKey, section, siteSpace, page: page.path });
  if (target === placeAddress(base, { shareKey, page: segments.join('/') })) return undefined;
  return { redirect: redirectTo(source, siteSpace.id, page), target };
}

/** Whether a member who asks sees the space; visitors see what is found for them. */
async function isSeen({ reader, found, context }: AskedOldAddress, siteSpaceId: string): Promise<boolean> {
  if (reader.user === null) return true;
  const destination = { kind: 'site-space' as const, siteSpaceId };
  return (await findDestination(context.db, { site: found.site.id, destination }, reader)) !== undefined;
}

const redirectTo = (source: string, siteSpaceId: string, { page, movedAt }: ResolvedPage): SiteRedirect => ({
  ...{ object: 'site-redirect', id: page === '' ? siteSpaceId : page, source },
  ...{ draft: false, captureWildcard: false, permanent: false },
  destination: page === '' ? { kind: 'site-space', siteSpaceId } : { kind: 'site-page', siteSpaceId, pageId: page },
  createdAt: timestamp(movedAt ?? 0),
});
