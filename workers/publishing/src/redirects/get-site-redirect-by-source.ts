import type { SiteRecord } from '@octavo/db';
import { findRedirects } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { placeAddress, siteAddress } from '@octavo/runtime';
import type { publishing, SiteRedirect, Visitor } from '@octavo/schema';
import { notFound, timestamp } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { shareKeyHash, shareKeyOf } from '../keys/site-keys.ts';
import { findPlace } from '../resolution/find-place.ts';
import { findSite } from '../resolution/find-site.ts';
import { findDestination } from './find-destination.ts';
import type { AskedRedirect } from './made-redirect.ts';
import { firstOf } from './made-redirect.ts';

type Endpoint = typeof publishing.getSiteRedirectBySource;

/** A redirect that was made comes before where a page once was; each counts only where it leads to what is shown. */
export const getSiteRedirectBySource: Handler<Endpoint, PublishingEnvironment> = async ({ query }, context) => {
  const { site, visitor, actor, db, env } = context;
  const { source, shareKey } = query;
  const claims = visitor?.claims ?? null;
  const user = visitor === undefined ? (actor?.id ?? null) : (visitor.user ?? null);
  const hashes = shareKey === undefined ? [] : [await shareKeyHash(shareKey)];
  const [found, made] = await Promise.all([
    findSite(db, { candidates: [ownAddress(site)], segments: segmentsOf(source), hashes }),
    findRedirects(db, site.id, source),
  ]);
  if (found === undefined) throw notFound('redirect');
  const isKey = found.links.length > 0;
  const key = await keyOf(env, visitor, isKey ? shareKey : undefined);
  const asked: AskedRedirect = { source, reader: { claims, user }, found, shareKey: key, context };
  const answer = (await firstOf(made, asked)) ?? (await ofOldAddress(asked));
  if (answer === undefined) throw notFound('redirect');
  return answer;
};

const ownAddress = ({ organization, basename }: SiteRecord) =>
  ({ by: 'organization', organization, basename, depth: 0 }) as const;

const keyOf = async (env: PublishingEnvironment, visitor: Visitor | undefined, given: string | undefined) =>
  visitor?.shareLink === undefined ? given : shareKeyOf(env, visitor.shareLink);

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
async function ofOldAddress({ source, reader, found, shareKey, context }: AskedRedirect) {
  const { db, env, absorb } = context;
  const { site } = found;
  const place = findPlace(found, segmentsOf(source), reader.claims);
  if (place === undefined) return undefined;
  const { section, siteSpace, rest } = place;
  const { space } = siteSpace;
  const destination = { kind: 'site-space' as const, siteSpaceId: siteSpace.id };
  const isSeen = reader.user === null || (await findDestination(db, { site: site.id, destination }, reader));
  if (!isSeen) return undefined;
  const page = absorb(await env.CONTENT.resolvePage({ space, path: rest.join('/'), claims: reader.claims }));
  if (page?.isOld !== true) return undefined;
  const redirect: SiteRedirect = {
    ...{ object: 'site-redirect', id: page.page, source, draft: false, captureWildcard: false, permanent: false },
    destination: { kind: 'site-page', siteSpaceId: siteSpace.id, pageId: page.page },
    createdAt: timestamp(page.movedAt ?? 0),
  };
  const target = placeAddress(siteAddress(env, found.site), { shareKey, section, siteSpace, page: page.path });
  return { redirect, target };
}
