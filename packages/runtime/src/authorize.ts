import type {
  CallerRecord,
  CollectionRecord,
  Database,
  OrganizationRecord,
  SiteRecord,
  SpaceLocation,
  SpaceRecord,
  VisitedSpace,
} from '@octavo/db';
import {
  findCaller,
  findPreviewedSite,
  findPreviewedSpace,
  findSharedSite,
  findVisitedSite,
  findVisitedSpace,
  resolveOrganization,
} from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type {
  Access,
  ChangeRequestId,
  CollectionRight,
  Endpoint,
  NamedInBody,
  OrganizationRight,
  RevisionId,
  SpaceId,
  SpaceRight,
  UserId,
  VisitorToken,
} from '@octavo/schema';
import {
  forbidden,
  getInstallationScopes,
  getOrganizationPermissions,
  getSitePermissions,
  isApiError,
  notFound,
  targetNotFound,
} from '@octavo/schema';
import type { SpaceInBody } from './context.ts';
import type { Authorized, FoundObject, Reader } from './find-object.ts';
import {
  createForbidden,
  findCollection,
  findInstallation,
  findIntegration,
  findOrganization,
  findSite,
  findSpace,
  requireCaller,
  requireInstallTarget,
  unauthenticated,
} from './find-object.ts';
import { hashBearerToken, hashText, toVisitor } from './secrets.ts';

type Params = Record<string, string>;

/** Returns the hash of the request's token, by which the database finds it. @throws ApiError unauthenticated */
export async function readToken(authorization: string | null): Promise<string> {
  const hash = await hashBearerToken(authorization);
  if (hash === undefined) throw unauthenticated(authorization?.trim() ? 'malformed' : 'missing');
  return hash;
}

/**
 * Decides whether the caller may use the endpoint on the objects that the path names. One database round trip. Missing
 * objects and objects that the caller cannot see return the same 404. A visible object without the required right
 * returns 403.
 */
export async function authorize(endpoint: Endpoint, params: Params | undefined, reader: Reader): Promise<Authorized> {
  if (endpoint.access === 'public') return {};
  const { db, visitor: token } = reader;
  if (token !== undefined) return authorizeVisitor(endpoint, params, { db, token });
  if (params === undefined) {
    requireCaller(await findCaller(reader.db, reader.hash));
    throw notFound('object');
  }
  const result = await findTarget(endpoint.access, params, reader).catch(async (error: unknown) => {
    const shared =
      isApiError(error) && error.type === 'not_found' ? await findByShareKey(endpoint, params, reader) : undefined;
    if (shared === undefined) throw error;
    return shared;
  });
  requireScope(endpoint, result.actor);
  if (!result.isAllowed) throw createForbidden(endpoint.access);
  const { isAllowed, ...authorized } = result;
  return authorized;
}

function requireScope(endpoint: Endpoint, caller: CallerRecord): void {
  if (caller.integration !== null) requireIntegrationScope(endpoint, caller);
  else requireTokenScope(endpoint, caller);
}

function requireTokenScope(endpoint: Endpoint, caller: CallerRecord): void {
  if (endpoint.scope === 'any' || caller.scopes === null) return;
  if (endpoint.scope === 'unscoped') throw forbidden('This requires a token without scopes.');
  if (!caller.scopes.includes(endpoint.scope)) throw forbidden(`The token needs the scope ${endpoint.scope}.`);
}

/** Finds a site by the share link key in the query. With a key, any user sees the site as a visitor does. */
async function findByShareKey(
  { access, visitors }: Endpoint,
  params: Params,
  { db, hash, shareKey }: Reader,
): Promise<FoundObject | undefined> {
  if (visitors === undefined || !Object.hasOwn(Object(access), 'site') || shareKey === undefined) return undefined;
  const shared = await visitByShareKey(db, params, shareKey);
  return shared && { ...shared, actor: requireCaller(await findCaller(db, hash)), isAllowed: true };
}

async function findTarget(access: Exclude<Access, 'public'>, params: Params, reader: Reader): Promise<FoundObject> {
  if (access === 'user' || access === 'account') {
    const actor = requireCaller(await findCaller(reader.db, reader.hash));
    return { actor, isAllowed: access !== 'account' || actor.organization === null };
  }
  if ('installation' in access) return findInstallation(access.installation, params, reader);
  if ('integration' in access) return findIntegration(access.integration, params, reader);
  if ('space' in access) return findSpace(access, params, reader);
  if ('collection' in access) return findCollection(access.collection, params, reader);
  if ('site' in access) return findSite(access.site, params, reader);
  return findOrganization(access, params, reader);
}

interface Request {
  authorized: Authorized;
  reader: Reader;
}

type TargetObject = CollectionRecord | SpaceInBody | OrganizationRecord | { id: string };

/**
 * Checks the objects that the body names and returns them by field. One round trip for each object. An object that the
 * caller cannot see returns 404. If the path names an object, spaces and collections of other organizations also return
 * 404.
 */
export async function authorizeTargets(
  { targets = {}, otherwise }: Pick<Endpoint, 'targets' | 'otherwise'>,
  body: unknown,
  request: Request,
): Promise<Record<string, TargetObject>> {
  const objects: Record<string, TargetObject> = {};
  for (const [field, target] of Object.entries(targets)) {
    const id = (body as Record<string, string | null | undefined>)[field];
    const top = 'collection' in target ? target.top : undefined;
    if (typeof id === 'string')
      objects[field] = await requireTarget(id, target, request).catch(addFieldName(field, target));
    else if (id === null && top !== undefined) await requireOrganizationRight(top, request);
  }
  if (otherwise !== undefined && Object.keys(objects).length === 0) await requireOrganizationRight(otherwise, request);
  return objects;
}

/** Rethrows a 404 with the name of the body's field, because the object in the path can be of the same kind. */
const addFieldName =
  (field: string, target: NamedInBody) =>
  (error: unknown): never => {
    const [objectName = 'object'] =
      'place' in target
        ? [target.place]
        : (['collection', 'space', 'organization'] as const).filter((kind) => kind in target);
    throw isApiError(error) && error.type === 'not_found' ? targetNotFound(field, objectName) : error;
  };

function requireTarget(id: string, target: NamedInBody, request: Request): Promise<TargetObject> {
  if ('collection' in target) return requireCollection(id, target.collection, request);
  if ('place' in target) return requireInstallTarget(target.place, id, request);
  if ('space' in target) return requireSpace(id, target.space, request);
  return requireOrganization(id, target, request.reader);
}

const getOrganizationId = ({ organization, space, collection }: Authorized): string | undefined =>
  organization?.id ?? space?.organization ?? collection?.organization;

async function requireCollection(id: string, right: CollectionRight, { authorized, reader }: Request) {
  const { isAllowed, collection } = await findCollection(right, { collectionId: id }, reader);
  if (collection?.organization !== getOrganizationId(authorized)) throw notFound('collection');
  if (!isAllowed || collection === undefined) throw createForbidden({ collection: right });
  return collection;
}

async function requireSpace(id: string, right: SpaceRight, { authorized, reader }: Request): Promise<SpaceInBody> {
  const { isAllowed, space, role = null } = await findSpace({ space: right }, { spaceId: id }, reader);
  const organization = getOrganizationId(authorized) ?? space?.organization;
  if (space === undefined || space.organization !== organization) throw notFound('space');
  if (!isAllowed) throw createForbidden({ space: right });
  return { space, role };
}

async function requireOrganization(
  idOrHostname: string,
  { organization: right, bySubdomain = false }: { organization: OrganizationRight; bySubdomain?: boolean },
  reader: Reader,
): Promise<OrganizationRecord> {
  const id = bySubdomain ? await resolveOrganization(reader.db, idOrHostname) : idOrHostname;
  const { isAllowed, organization } = await findOrganization({ organization: right }, { organizationId: id }, reader);
  if (!isAllowed || organization === undefined) throw createForbidden({ organization: right });
  return organization;
}

/**
 * Checks a right on the organization that owns the path's object. If the path names the organization, the membership is
 * already loaded.
 */
async function requireOrganizationRight(right: OrganizationRight, { authorized, reader }: Request): Promise<void> {
  const { membership } = authorized;
  if (membership === undefined)
    await requireOrganization(getOrganizationId(authorized) ?? '', { organization: right }, reader);
  else if (!getOrganizationPermissions(membership.role, membership.ownsTeam)[right])
    throw createForbidden({ organization: right });
}

/** Checks that an integration or an installation may call the endpoint at all. @throws ApiError forbidden */
function requireIntegrationScope(endpoint: Endpoint, { installation, integrationScopes }: CallerRecord): void {
  if (installation === null) {
    if (endpoint.byIntegration !== true) throw forbidden("The integration's own token cannot call this.");
    return;
  }
  const requiredScopes = getInstallationScopes(endpoint);
  if (requiredScopes === undefined) throw forbidden('The token of an installation cannot call this.');
  if (requiredScopes !== 'any' && !requiredScopes.some((scope) => integrationScopes?.includes(scope))) {
    throw forbidden(`The integration needs the scope ${requiredScopes.join(' or ')}.`);
  }
}

/**
 * Decides whether a visitor of a site may use the endpoint on the objects that the path names. One database round trip.
 * Everything that the visitor cannot see returns 404.
 */
export async function authorizeVisitor(
  { access, visitors }: Endpoint,
  params: Record<string, string> | undefined,
  { db, token }: { db: Database; token: VisitorToken },
): Promise<Authorized> {
  if (visitors === undefined || params === undefined || typeof access !== 'object') throw notFound('object');
  if (visitors === 'previews' && token.preview === undefined) throw notFound('object');
  if ('space' in access) return visitSpace(params, db, token);
  const isOfOrganization = params.organizationId === token.organization;
  const isOfSite = params.siteId === undefined || params.siteId === token.site;
  const objectKind = 'openapi' in access ? 'version of an OpenAPI specification' : 'site';
  if (!isOfOrganization || !isOfSite) throw notFound(objectKind);
  const site = await (token.preview === undefined ? findVisitedSite(db, token) : previewSite(db, token, token.preview));
  if (site === undefined) throw notFound(objectKind);
  return { visitor: await toVisitor(token, site), site };
}

/** Returns the site if the member who requested the preview can see it. */
async function previewSite(
  db: Database,
  { organization, site, stamp }: VisitorToken,
  { user }: { user: UserId },
): Promise<SiteRecord | undefined> {
  const access = await findPreviewedSite(db, { user, organization, site });
  const isSeen = access.membership.active && getSitePermissions(access.membership.role, access.rank).view;
  return isSeen && access.site?.stamp === stamp ? access.site : undefined;
}

async function visitSpace(params: Record<string, string>, db: Database, token: VisitorToken): Promise<Authorized> {
  const { spaceId: space = '', changeRequestId: changeRequest, revisionId: revision } = params;
  const { preview } = token;
  if (preview !== undefined) {
    const target = { space, changeRequest, revision };
    return previewSpace(target, { db, token: { ...token, preview } });
  }
  if (changeRequest !== undefined) throw notFound('change request');
  const visited = await findVisitedSpace(db, token, { space, revision });
  const location = findVisibleLocation(visited?.places, token);
  if (visited?.space === undefined || location === undefined) throw notFound('space');
  if (visited.point === undefined) throw notFound('revision');
  const visitor = await toVisitor(token, visited.site);
  visitor.isPublic &&= visited.places.some(({ conditions }) => conditions.every((condition) => condition === null));
  const visibleSpace = { ...visited.space, publishedAt: toPublishedLocation(visited, location) };
  return { visitor, isGuest: true, role: 'read', space: visibleSpace, point: visited.point };
}

type PreviewToken = VisitorToken & { preview: NonNullable<VisitorToken['preview']> };

/** Returns the space as visitors see it, if the member who requested the preview may see it. */
async function previewSpace(
  target: { space: SpaceId; changeRequest: ChangeRequestId | undefined; revision: RevisionId | undefined },
  { db, token }: { db: Database; token: PreviewToken },
): Promise<Authorized> {
  const result = await findPreviewedSpace(db, token, target);
  const { space, role, changeRequest, point } = result?.access ?? {};
  if (result === undefined || space === undefined || role == null || space.deletedAt !== null) throw notFound('space');
  const location = findVisibleLocation(result.places, token);
  if (space.organization !== token.organization || location === undefined) throw notFound('space');
  if (target.changeRequest !== undefined && changeRequest === undefined) throw notFound('change request');
  if (point === undefined) throw notFound('revision');
  const visitor = await toVisitor(token, result.site);
  const visibleSpace = { ...space, publishedAt: toPublishedLocation(result, location) };
  return {
    visitor,
    isGuest: true,
    role: 'read',
    space: visibleSpace,
    point,
    ...(changeRequest ? { changeRequest } : {}),
  };
}

/** Returns the site that the path names. The request has a share link key and no visitor token. */
export async function visitByShareKey(
  db: Database,
  params: Record<string, string>,
  shareKey: string,
): Promise<Authorized | undefined> {
  const { organizationId: organization = '', siteId = '' } = params;
  const keyHash = await hashText(shareKey);
  const site = await findSharedSite(db, { organization, site: siteId, keyHash });
  if (site === undefined) return undefined;
  const expires = Math.floor(Date.now() / 1000);
  const identity = { organization, site: site.id, stamp: site.stamp, key: keyHash, expires };
  const visitor = { ...identity, claims: {}, isPreview: false, isPublic: false, hasEditLinks: site.editLinks };
  return { visitor, site };
}

/** Returns the first location of a space in the site whose conditions hold for the visitor's claims. */
const findVisibleLocation = (locations: SpaceLocation[] = [], { claims }: VisitorToken): SpaceLocation | undefined =>
  locations.find(({ conditions }) => conditions.every((condition) => isShownTo(condition, claims)));

/** Visitors see a space as published in the visited site, even if other sites show it too. */
function toPublishedLocation(
  { site: { published, id, editLinks: _, ...site } }: Pick<VisitedSpace, 'site'>,
  { section, siteSpace }: SpaceLocation,
): SpaceRecord['publishedAt'] {
  const getNamedPath = (level: SpaceLocation['siteSpace'] | null) =>
    level === null || level.isDefault ? null : level.path;
  return published ? { ...site, site: id, section: getNamedPath(section), siteSpace: getNamedPath(siteSpace) } : null;
}
