import type { Database, SiteRecord, SpacePlace, SpaceRecord, VisitedSpace } from '@octavo/db';
import { findPreviewedSite, findPreviewedSpace, findSharedSite, findVisitedSite, findVisitedSpace } from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type { ChangeRequestId, Endpoint, RevisionId, SpaceId, UserId, Visitor, VisitorToken } from '@octavo/schema';
import { notFound, sitePermissions } from '@octavo/schema';
import type { Authorized } from './find-object.ts';
import { hashOf } from './secrets.ts';

type Params = Record<string, string>;

/**
 * Decides whether a visitor of a site may use the endpoint on what the path names, in one database round trip. All that a
 * visitor may not see is not there: 404.
 */
export async function authorizeVisitor(
  { access, visitors }: Endpoint,
  params: Params | undefined,
  { db, token }: { db: Database; token: VisitorToken },
): Promise<Authorized> {
  if (visitors === undefined || params === undefined || typeof access !== 'object') throw notFound('object');
  if (visitors === 'previews' && token.preview === undefined) throw notFound('object');
  if ('space' in access) return visitSpace(params, db, token);
  const isOfOrganization = params.organizationId === token.organization;
  const isOfSite = params.siteId === undefined || params.siteId === token.site;
  const missing = 'openapi' in access ? 'version of an OpenAPI specification' : 'site';
  if (!isOfOrganization || !isOfSite) throw notFound(missing);
  const site = await (token.preview === undefined ? findVisitedSite(db, token) : previewSite(db, token, token.preview));
  if (site === undefined) throw notFound(missing);
  return { visitor: await visitorOf(token, site.visibility), site };
}

/** The site as far as the member may see it by whom the preview was asked for. */
async function previewSite(
  db: Database,
  { organization, site, stamp }: VisitorToken,
  { user }: { user: UserId },
): Promise<SiteRecord | undefined> {
  const found = await findPreviewedSite(db, { user, organization, site });
  const isSeen = found.membership.active && sitePermissions(found.membership.role, found.rank).view;
  return isSeen && found.site?.stamp === stamp ? found.site : undefined;
}

async function visitSpace(params: Params, db: Database, token: VisitorToken): Promise<Authorized> {
  const { spaceId: space = '', changeRequestId: changeRequest, revisionId: revision } = params;
  const { preview } = token;
  if (preview !== undefined) {
    const target = { space, changeRequest, revision };
    return previewSpace(target, { db, token: { ...token, preview } });
  }
  if (changeRequest !== undefined) throw notFound('change request');
  const visited = await findVisitedSpace(db, token, { space, revision });
  const place = shownPlace(visited?.places, token);
  if (visited?.space === undefined || place === undefined) throw notFound('space');
  if (visited.point === undefined) throw notFound('revision');
  const visitor = await visitorOf(token, visited.site.visibility);
  visitor.isPublic &&= visited.places.some(({ conditions }) => conditions.every((condition) => condition === null));
  const shown = { ...visited.space, publishedAt: publishedAt(visited, place) };
  return { visitor, isGuest: true, role: 'read', space: shown, point: visited.point };
}

type PreviewToken = VisitorToken & { preview: NonNullable<VisitorToken['preview']> };

/** What the member sees by whom the preview was asked for, in a space of the site. */
async function previewSpace(
  target: { space: SpaceId; changeRequest: ChangeRequestId | undefined; revision: RevisionId | undefined },
  { db, token }: { db: Database; token: PreviewToken },
): Promise<Authorized> {
  const found = await findPreviewedSpace(db, token, target);
  const { space, role, changeRequest, point } = found?.access ?? {};
  if (found === undefined || space === undefined || role == null || space.deletedAt !== null) throw notFound('space');
  const place = shownPlace(found.places, token);
  if (space.organization !== token.organization || place === undefined) throw notFound('space');
  if (target.changeRequest !== undefined && changeRequest === undefined) throw notFound('change request');
  if (point === undefined) throw notFound('revision');
  const visitor = await visitorOf(token, found.site.visibility);
  const shown = { ...space, publishedAt: publishedAt(found, place) };
  return { visitor, isGuest: true, role: 'read', space: shown, point, ...(changeRequest ? { changeRequest } : {}) };
}

/** A site that the path names, for who brings a key of it and no token of a visitor. */
export async function visitByShareKey(db: Database, params: Params, shareKey: string): Promise<Authorized | undefined> {
  const { organizationId: organization = '', siteId = '' } = params;
  const keyHash = await hashOf(shareKey);
  const site = await findSharedSite(db, { organization, site: siteId, keyHash });
  if (site === undefined) return undefined;
  const expires = Math.floor(Date.now() / 1000);
  const seen = { organization, site: site.id, stamp: site.stamp, key: keyHash, expires };
  const visitor = { ...seen, claims: {}, isPreview: false, isPublic: false };
  return { visitor, site };
}

/** A space is shown where one of the places that it has in the site is: the first of those is its place there. */
const shownPlace = (places: SpacePlace[] = [], { claims }: VisitorToken): SpacePlace | undefined =>
  places.find(({ conditions }) => conditions.every((condition) => isShownTo(condition, claims)));

/** To a visitor a space is published where the visited site shows it, whatever other sites do. */
function publishedAt(
  { site: { published, id, ...site } }: Pick<VisitedSpace, 'site'>,
  { section, siteSpace }: SpacePlace,
): SpaceRecord['publishedAt'] {
  const named = (level: SpacePlace['siteSpace'] | null) => (level === null || level.isDefault ? null : level.path);
  return published ? { ...site, site: id, section: named(section), siteSpace: named(siteSpace) } : null;
}

async function visitorOf(token: VisitorToken, visibility: SiteRecord['visibility']): Promise<Visitor> {
  const { organization, site, stamp, shareLink, claims, preview, expires } = token;
  return {
    organization,
    site,
    stamp,
    shareLink,
    claims,
    isPreview: preview !== undefined,
    ...preview,
    key: await hashOf(JSON.stringify([site, token.stamp, claims, preview ?? null])),
    expires,
    isPublic: preview === undefined && (visibility === 'public' || visibility === 'unlisted'),
  };
}
