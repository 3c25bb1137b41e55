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
  collectionPermissions,
  forbidden,
  isAtLeast,
  notFound,
  organizationPermissions,
  sitePermissions,
  spacePermissions,
  teamPermissions,
} from '@octavo/schema';

type Params = Record<string, string>;

/** The objects that authorization found. The endpoint's `access` and path determine which fields are set. */
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
  if (access === 'user') return 'a user';
  if (access === 'account') return 'a token that is not bound to one organization';
  if ('member' in access) return `the right ${access.member === 'leave' ? 'admin' : 'listMembers'} on the organization`;
  const [[target, right] = []] = Object.entries(access);
  return `the right ${right} on the ${target}`;
}

export function requireCaller(caller: CallerRecord | undefined): CallerRecord {
  if (caller === undefined) throw unauthenticated('unknown');
  return caller;
}

export type FoundObject = Authorized & { actor: CallerRecord; allowed: boolean };

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
 * decides about OpenAPI specifications.
 */
export async function findOrganization(
  access: OrganizationAccessRule,
  params: Params,
  { db, hash }: Reader,
): Promise<FoundObject> {
  const { organizationId: organization = '', teamId: team, userId: user } = params;
  const found = await findOrganizationAccess(db, hash, { organization, team, user });
  const actor = requireCaller(found.caller);
  if (found.organization === undefined) throw notFound('organization');
  if (found.needsSignIn && !('signIn' in access)) throw createSignInRequired(organization);
  const pathObjects = requirePathObjects(found, { team, user }, actor);
  return {
    actor,
    organization: found.organization,
    membership: found.membership,
    isAdmin: found.membership.role === 'admin',
    ...pathObjects,
    allowed: isOrganizationAllowed(access, found, actor),
  };
}

/**
 * Returns the team and the member that the path names. Throws 404 if one does not exist or the caller cannot see it.
 */
function requirePathObjects(
  { membership, team, member }: OrganizationAccess,
  named: { team: TeamId | undefined; user: UserId | undefined },
  actor: CallerRecord,
): Pick<Authorized, 'team' | 'member'> {
  const permissions = organizationPermissions(membership.role, membership.ownsTeam);
  if (named.team !== undefined && (team === undefined || !teamPermissions(permissions, team.ownRole).view)) {
    throw notFound('team');
  }
  const seesMembers = permissions.listMembers || named.user === actor.id || named.team !== undefined;
  if (named.user !== undefined && (member === undefined || !seesMembers)) throw notFound('member');
  return { ...(team === undefined ? {} : { team }), ...(member === undefined ? {} : { member }) };
}

function isOrganizationAllowed(
  access: OrganizationAccessRule,
  found: OrganizationAccess,
  actor: CallerRecord,
): boolean {
  const { role, ownsTeam } = found.membership;
  const permissions = organizationPermissions(role, ownsTeam);
  const isSelf = found.member?.user.id === actor.id;
  if ('organization' in access) return permissions[access.organization];
  if ('member' in access) return isSelf || (access.member === 'view' ? permissions.listMembers : permissions.admin);
  if ('team' in access) return teamPermissions(permissions, found.team?.ownRole ?? null)[access.team];
  // An installation reads and writes specifications by its scopes, regardless of the spaces that it can access.
  if (actor.installation !== null) return true;
  return access.openapi === 'view' ? isAtLeast(role, 'read') : permissions.createOpenAPISpec;
}

export async function findSite(right: 'view' | 'manage', params: Params, { db, hash }: Reader): Promise<FoundObject> {
  const { organizationId: organization = '', siteId: site = '' } = params;
  const found = await findSiteAccess(db, hash, { organization, site });
  const actor = requireCaller(found.caller);
  if (found.organization === undefined) throw notFound('organization');
  if (found.needsSignIn) throw createSignInRequired(organization);
  const { membership } = found;
  const permissions =
    actor.installation === null
      ? sitePermissions(membership.role, found.rank)
      : { view: found.isInstalled === true, manage: found.isInstalled === true };
  if (found.site === undefined || !permissions.view) throw notFound('site');
  return {
    actor,
    organization: found.organization,
    membership,
    isAdmin: membership.role === 'admin',
    site: found.site,
    allowed: permissions[right],
  };
}

export async function findSpace(
  access: Extract<Access, { space: unknown }>,
  params: Params,
  reader: Reader,
): Promise<FoundObject> {
  const { spaceId: space = '', changeRequestId: changeRequest, revisionId: revision } = params;
  const requests = access.or === 'requested';
  const found = await findSpaceAccess(reader.db, reader.hash, { space, changeRequest, revision, requests });
  const actor = requireCaller(found.caller);
  const isExcepted = found.isRequested || (access.or === 'self' && params.userId === actor.id);
  const deleted = found.space?.deletedAt != null;
  const permissions = spacePermissions(found.role, deleted);
  if (found.space === undefined || !permissions.view || (deleted && access.deleted !== 'allowed')) {
    throw notFound('space');
  }
  if (changeRequest !== undefined && found.changeRequest === undefined) throw notFound('change request');
  if (found.point === undefined) throw notFound('revision');
  return {
    actor,
    isAdmin: found.isAdmin,
    isGuest: found.isGuest,
    space: found.space,
    role: found.role,
    point: found.point,
    ...(found.changeRequest === undefined ? {} : { changeRequest: found.changeRequest }),
    allowed: permissions[access.space] || (isExcepted && permissions.access),
  };
}

export async function findCollection(right: CollectionRight, params: Params, reader: Reader): Promise<FoundObject> {
  const found = await findCollectionAccess(reader.db, reader.hash, params.collectionId ?? '');
  const actor = requireCaller(found.caller);
  const { collection } = found;
  if (collection === undefined) throw notFound('collection');
  const permissions = collectionPermissions(collection.role, collection.onTheWay);
  if (!permissions.view) throw notFound('collection');
  return { actor, collection, isAdmin: found.isAdmin, allowed: permissions[right] };
}

type InstallationRight = Extract<Access, { installation: unknown }>['installation'];

/** Finds the installation that the path names, with the space or site of the path, if the caller can see it. */
export async function findInstallation(right: InstallationRight, params: Params, reader: Reader): Promise<FoundObject> {
  const { integrationName: integration = '', installationId: id = '' } = params;
  const found = await findInstallationAccess(reader.db, reader.hash, { integration, id });
  const actor = requireCaller(found.caller);
  const { installation } = found;
  if (installation === undefined || !canSeeInstallation(right, found)) throw notFound('installation');
  const authorized = { actor, isAdmin: found.isAdmin, installation };
  if (actor.integration === null && params.spaceId !== undefined) {
    await requireInstallTarget('space', params.spaceId, { authorized, reader });
  }
  if (actor.integration === null && params.siteId !== undefined) {
    await requireInstallTarget('site', params.siteId, { authorized, reader });
  }
  return { ...authorized, allowed: isAllowed(right, found) };
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
  const found =
    kind === 'space'
      ? await findSpace({ space: 'installIntegration' }, { spaceId: id }, reader)
      : await findSite('manage', { organizationId: organization, siteId: id }, reader);
  if (kind === 'space' && found.space?.organization !== organization) throw notFound('space');
  if (!found.allowed) throw createForbidden(kind === 'space' ? { space: 'installIntegration' } : { site: 'manage' });
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
  const { caller, shown } = await findIntegrationAccess(db, hash, name);
  const actor = requireCaller(caller);
  const membership = limitMembership(actor, shown?.membership);
  // The scope check has already decided whether the integration's own tokens and those of its installations may call
  // this.
  const isItself = shown !== undefined && isIntegration(actor, shown.integration);
  if (shown === undefined || !(isItself || isIntegrationVisible(shown.integration.visibility, membership))) {
    throw notFound('integration');
  }
  const isAdmin = membership.role === 'admin';
  return { actor, integration: { ...shown, membership }, isAdmin, allowed: right === 'view' || isAdmin || isItself };
}
