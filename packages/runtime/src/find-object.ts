import type {
  CallerRecord,
  ChangeRequestRecord,
  CollectionRecord,
  Database,
  InstallationAccess,
  InstallationRecord,
  MemberRecord,
  Membership,
  OrganizationAccess,
  OrganizationRecord,
  RevisionPoint,
  SiteRecord,
  SpaceRecord,
  TeamRecord,
  VisibleIntegrationRecord,
} from '@octavo/db';
import {
  accessibleToInstallation,
  findCollectionAccess,
  findInstallationAccess,
  findIntegrationAccess,
  findOrganizationAccess,
  findSiteAccess,
  findSpaceAccess,
  isIntegration,
  limitMembership,
  readRow,
} from '@octavo/db';
import type {
  Access,
  CollectionRight,
  IntegrationVisibility,
  Role,
  TeamId,
  UserId,
  Visitor,
  VisitorToken,
} from '@octavo/schema';
import {
  ApiError,
  forbidden,
  getCollectionPermissions,
  getOrganizationPermissions,
  getSitePermissions,
  getSpacePermissions,
  getTeamPermissions,
  isAtLeast,
  notFound,
} from '@octavo/schema';

type Params = Record<string, string>;

/** The objects that authorization loaded. The endpoint's `access` and path determine which fields are set. */
export interface Authorized {
  actor?: CallerRecord;
  /** Set if the caller is a visitor of a site and not a user. */
  visitor?: Visitor;
  /** Whether the caller is an admin of the organization that owns the path's object. */
  isAdmin?: boolean;
  organization?: OrganizationRecord;
  membership?: Membership;
  team?: TeamRecord;
  member?: MemberRecord;
  collection?: CollectionRecord;
  site?: SiteRecord;
  installation?: InstallationRecord;
  /** The integration, its owner, and the caller's membership in the owner. */
  integration?: VisibleIntegrationRecord;
  space?: SpaceRecord;
  role?: Role | null;
  isGuest?: boolean;
  changeRequest?: ChangeRequestRecord;
  point?: RevisionPoint;
}

/** The errors of requests without a valid token. Unknown, expired and revoked tokens are indistinguishable. */
const authenticationErrors = {
  missing: 'This request has no token. Send one as `Authorization: Bearer <token>`.',
  malformed: 'The header `Authorization` must have the form `Bearer <token>`.',
  unknown: 'This token is unknown, expired or revoked.',
};

export const unauthenticated = (reason: keyof typeof authenticationErrors) =>
  new ApiError('unauthenticated', authenticationErrors[reason]);

export const createForbidden = (access: Parameters<typeof describeRight>[0]) =>
  forbidden(`You are not allowed to do this. It requires ${describeRight(access)}.`);

/** Returns, for example, "the right merge on the space". */
function describeRight(access: Exclude<Access, 'public'>): string {
  if (access === 'user') return "a user's token";
  if (access === 'account') return 'a token that is not bound to one organization';
  if ('member' in access) return `the right ${access.member === 'leave' ? 'admin' : 'listMembers'} on the organization`;
  const [[target, right] = []] = Object.entries(access);
  return `the right ${right} on the ${target}`;
}

export function requireCaller(caller: CallerRecord | undefined): CallerRecord {
  if (caller === undefined) throw unauthenticated('unknown');
  return caller;
}

export type FoundObject = Authorized & { actor: CallerRecord; isAllowed: boolean };

/** The database, and the hash of the caller's token or the content of a visitor token. */
export interface Reader {
  db: Database;
  hash: string;
  visitor?: VisitorToken;
  /** The key of a share link that the query names. */
  shareKey?: string;
}

type OrganizationAccessRule = Extract<
  Access,
  { organization: unknown } | { member: unknown } | { team: unknown } | { openapi: unknown }
>;

const createSignInRequired = (id: string) =>
  forbidden(`This organization requires sign-in through SSO. Get the sign-in URL from GET /v1/orgs/${id}/sso.`);

/**
 * Finds the caller's organization, with the team and the member that the path names. The role in the organization also
 * determines the access to OpenAPI specifications.
 */
export async function findOrganization(
  access: OrganizationAccessRule,
  params: Params,
  { db, hash }: Reader,
): Promise<FoundObject> {
  const { organizationId: organization = '', teamId: team, userId: user } = params;
  const organizationAccess = await findOrganizationAccess(db, hash, { organization, team, user });
  const actor = requireCaller(organizationAccess.caller);
  if (organizationAccess.organization === undefined) throw notFound('organization');
  if (organizationAccess.needsSignIn && !('signIn' in access)) throw createSignInRequired(organization);
  const pathObjects = requirePathObjects(organizationAccess, { team, user }, actor);
  return {
    actor,
    organization: organizationAccess.organization,
    membership: organizationAccess.membership,
    isAdmin: organizationAccess.membership.role === 'admin',
    ...pathObjects,
    isAllowed: isOrganizationAllowed(access, organizationAccess, actor),
  };
}

/**
 * Returns the team and the member that the path names. Throws 404 if one does not exist or the caller cannot see it.
 */
function requirePathObjects(
  { membership, team, member }: OrganizationAccess,
  targets: { team: TeamId | undefined; user: UserId | undefined },
  actor: CallerRecord,
): Pick<Authorized, 'team' | 'member'> {
  const permissions = getOrganizationPermissions(membership.role, membership.ownsTeam);
  if (targets.team !== undefined && (team === undefined || !getTeamPermissions(permissions, team.ownRole).view)) {
    throw notFound('team');
  }
  const seesMembers = permissions.listMembers || targets.user === actor.id || targets.team !== undefined;
  if (targets.user !== undefined && (member === undefined || !seesMembers)) throw notFound('member');
  return { ...(team === undefined ? {} : { team }), ...(member === undefined ? {} : { member }) };
}

function isOrganizationAllowed(
  access: OrganizationAccessRule,
  organizationAccess: OrganizationAccess,
  actor: CallerRecord,
): boolean {
  const { role, ownsTeam } = organizationAccess.membership;
  const permissions = getOrganizationPermissions(role, ownsTeam);
  const isSelf = organizationAccess.member?.user.id === actor.id;
  if ('organization' in access) return permissions[access.organization];
  if ('member' in access) return isSelf || (access.member === 'view' ? permissions.listMembers : permissions.admin);
  if ('team' in access) return getTeamPermissions(permissions, organizationAccess.team?.ownRole ?? null)[access.team];
  // An installation reads and writes specifications by its scopes, regardless of the spaces that it can access.
  if (actor.installation !== null) return true;
  return access.openapi === 'view' ? isAtLeast(role, 'read') : permissions.createOpenAPISpec;
}

export async function findSite(right: 'view' | 'manage', params: Params, { db, hash }: Reader): Promise<FoundObject> {
  const { organizationId: organization = '', siteId: site = '' } = params;
  const access = await findSiteAccess(db, hash, { organization, site });
  const actor = requireCaller(access.caller);
  if (access.organization === undefined) throw notFound('organization');
  if (access.needsSignIn) throw createSignInRequired(organization);
  const { membership } = access;
  const permissions =
    actor.installation === null
      ? getSitePermissions(membership.role, access.rank)
      : { view: access.isInstalled === true, manage: access.isInstalled === true };
  if (access.site === undefined || !permissions.view) throw notFound('site');
  return {
    actor,
    organization: access.organization,
    membership,
    isAdmin: membership.role === 'admin',
    site: access.site,
    isAllowed: permissions[right],
  };
}

export async function findSpace(
  access: Extract<Access, { space: unknown }>,
  params: Params,
  reader: Reader,
): Promise<FoundObject> {
  const { spaceId: space = '', changeRequestId: changeRequest, revisionId: revision } = params;
  const requests = access.or === 'requested';
  const spaceAccess = await findSpaceAccess(reader.db, reader.hash, { space, changeRequest, revision, requests });
  const actor = requireCaller(spaceAccess.caller);
  const isExcepted = spaceAccess.isRequested || (access.or === 'self' && params.userId === actor.id);
  const deleted = spaceAccess.space?.deletedAt != null;
  const permissions = getSpacePermissions(spaceAccess.role, deleted);
  if (spaceAccess.space === undefined || !permissions.view || (deleted && access.deleted !== 'allowed')) {
    throw notFound('space');
  }
  if (changeRequest !== undefined && spaceAccess.changeRequest === undefined) throw notFound('change request');
  if (spaceAccess.point === undefined) throw notFound('revision');
  return {
    actor,
    isAdmin: spaceAccess.isAdmin,
    isGuest: spaceAccess.isGuest,
    space: spaceAccess.space,
    role: spaceAccess.role,
    point: spaceAccess.point,
    ...(spaceAccess.changeRequest === undefined ? {} : { changeRequest: spaceAccess.changeRequest }),
    isAllowed: permissions[access.space] || (isExcepted && permissions.access),
  };
}

export async function findCollection(right: CollectionRight, params: Params, reader: Reader): Promise<FoundObject> {
  const access = await findCollectionAccess(reader.db, reader.hash, params.collectionId ?? '');
  const actor = requireCaller(access.caller);
  const { collection } = access;
  if (collection === undefined) throw notFound('collection');
  const permissions = getCollectionPermissions(collection.role, collection.onTheWay);
  if (!permissions.view) throw notFound('collection');
  return { actor, collection, isAdmin: access.isAdmin, isAllowed: permissions[right] };
}

type InstallationRight = Extract<Access, { installation: unknown }>['installation'];

/** Finds the installation that the path names, with the space or site of the path, if the caller can see it. */
export async function findInstallation(right: InstallationRight, params: Params, reader: Reader): Promise<FoundObject> {
  const { integrationName: integration = '', installationId: id = '' } = params;
  const access = await findInstallationAccess(reader.db, reader.hash, { integration, id });
  const actor = requireCaller(access.caller);
  const { installation } = access;
  if (installation === undefined || !canSeeInstallation(right, access)) throw notFound('installation');
  const authorized = { actor, isAdmin: access.isAdmin, installation };
  if (actor.integration === null && params.spaceId !== undefined) {
    await requireInstallTarget('space', params.spaceId, { authorized, reader });
  }
  if (actor.integration === null && params.siteId !== undefined) {
    await requireInstallTarget('site', params.siteId, { authorized, reader });
  }
  return { ...authorized, isAllowed: isAllowed(right, access) };
}

const canSeeInstallation = (right: InstallationRight, { isAdmin, isMember, isOwn }: InstallationAccess): boolean =>
  isOwn || isAdmin || (right === 'place' && isMember);

const isAllowed = (right: InstallationRight, { isAdmin, isOwn }: InstallationAccess): boolean =>
  right === 'token' ? isOwn : right !== 'admin' || isAdmin;

/**
 * Checks that the caller may install on a space or site. People need the right to install there; the installation and
 * its integration must already have access. @throws ApiError not_found, forbidden
 */
export async function requireInstallTarget(
  kind: 'space' | 'site',
  id: string,
  { authorized: { actor, installation }, reader }: { authorized: Authorized; reader: Reader },
): Promise<{ id: string }> {
  if (installation === undefined) throw new Error('Only an installation can be added to a space or a site.');
  if (actor?.integration == null) return requireInstallRight(kind, id, { installation, reader });
  const target = await readRow(reader.db, accessibleToInstallation[kind](installation.id, id));
  if (target === undefined) throw notFound(kind);
  return target;
}

async function requireInstallRight(
  kind: 'space' | 'site',
  id: string,
  { installation: { organization }, reader }: { installation: InstallationRecord; reader: Reader },
): Promise<{ id: string }> {
  const object =
    kind === 'space'
      ? await findSpace({ space: 'installIntegration' }, { spaceId: id }, reader)
      : await findSite('manage', { organizationId: organization, siteId: id }, reader);
  if (kind === 'space' && object.space?.organization !== organization) throw notFound('space');
  if (!object.isAllowed) throw createForbidden(kind === 'space' ? { space: 'installIntegration' } : { site: 'manage' });
  return { id };
}

/**
 * Whether a caller with this membership in the owner's organization can see the integration. A private one is visible
 * only to members with a role.
 */
const isIntegrationVisible = (visibility: IntegrationVisibility, { role, isInstallation }: Membership): boolean =>
  visibility !== 'private' || (isInstallation !== true && isAtLeast(role, 'read'));

/** Finds the integration that the path names, with its owner and the caller's membership there. */
export async function findIntegration(
  right: 'view' | 'admin',
  { integrationName: name = '' }: Record<string, string>,
  { db, hash }: Reader,
): Promise<FoundObject> {
  const { caller, visible } = await findIntegrationAccess(db, hash, name);
  const actor = requireCaller(caller);
  const membership = limitMembership(actor, visible?.membership);
  // The scope check has already decided whether the tokens of the integration and of its installations may call this
  // endpoint.
  const isItself = visible !== undefined && isIntegration(actor, visible.integration);
  if (visible === undefined || !(isItself || isIntegrationVisible(visible.integration.visibility, membership))) {
    throw notFound('integration');
  }
  const isAdmin = membership.role === 'admin';
  return {
    actor,
    integration: { ...visible, membership },
    isAdmin,
    isAllowed: right === 'view' || isAdmin || isItself,
  };
}
