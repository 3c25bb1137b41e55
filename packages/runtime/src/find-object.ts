import type { CallerRecord, Database, OrganizationAccess } from '@octavo/db';
import { findCollectionAccess, findOrganizationAccess, findSiteAccess, findSpaceAccess } from '@octavo/db';
import type { Access, CollectionRight, TeamId, UserId, VisitorToken } from '@octavo/schema';
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
import type { Authorized } from './authorized.ts';

type Params = Record<string, string>;

export const unauthenticated = () =>
  new ApiError('unauthenticated', 'A valid token is needed: Authorization: Bearer <token>.');

export const lacks = (access: Parameters<typeof rightOf>[0]) =>
  forbidden(`The caller may not do this here: it needs ${rightOf(access)}.`);

/** For example: the right merge on the space. */
function rightOf(access: Exclude<Access, 'public'>): string {
  if (access === 'user') return 'a user';
  if (access === 'account') return 'a token that is not bound to one organization';
  if ('member' in access) return `the right ${access.member === 'leave' ? 'admin' : 'listMembers'} on the organization`;
  const [[target, right] = []] = Object.entries(access);
  return `the right ${right} on the ${target}`;
}

export function known(caller: CallerRecord | undefined): CallerRecord {
  if (caller === undefined) throw unauthenticated();
  return caller;
}

export type FoundObject = Authorized & { actor: CallerRecord; allowed: boolean };

/** The database, and the hash of the caller's token, or what a visitor's token tells. */
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

const signInNeeded = (id: string) =>
  forbidden(`This organization asks for sign-in through its SSO: GET /v1/orgs/${id}/sso names where.`);

/**
 * The caller in an organization, with the team and the member that the path names. Specifications are decided by the role
 * there.
 */
export async function findOrganization(
  access: OrganizationAccessRule,
  params: Params,
  { db, hash }: Reader,
): Promise<FoundObject> {
  const { organizationId: organization = '', teamId: team, userId: user } = params;
  const found = await findOrganizationAccess(db, hash, { organization, team, user });
  const actor = known(found.caller);
  if (found.organization === undefined) throw notFound('organization');
  if (found.needsSignIn && !('signIn' in access)) throw signInNeeded(organization);
  const seen = requireNamed(found, { team, user }, actor);
  return {
    actor,
    organization: found.organization,
    membership: found.membership,
    isAdmin: found.membership.role === 'admin',
    ...seen,
    allowed: allows(access, found, actor),
  };
}

/** The team and the member that the path names: 404 where there is none, or none that the caller sees. */
function requireNamed(
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

function allows(access: OrganizationAccessRule, found: OrganizationAccess, actor: CallerRecord): boolean {
  const { role, ownsTeam } = found.membership;
  const permissions = organizationPermissions(role, ownsTeam);
  const isSelf = found.member?.user.id === actor.id;
  if ('organization' in access) return permissions[access.organization];
  if ('member' in access) return isSelf || (access.member === 'view' ? permissions.listMembers : permissions.admin);
  if ('team' in access) return teamPermissions(permissions, found.team?.ownRole ?? null)[access.team];
  // An installation reads and writes specifications as its scopes let it, whatever it reaches of spaces.
  if (actor.installation !== null) return true;
  return access.openapi === 'view' ? isAtLeast(role, 'read') : permissions.createOpenAPISpec;
}

export async function findSite(right: 'view' | 'manage', params: Params, { db, hash }: Reader): Promise<FoundObject> {
  const { organizationId: organization = '', siteId: site = '' } = params;
  const found = await findSiteAccess(db, hash, { organization, site });
  const actor = known(found.caller);
  if (found.organization === undefined) throw notFound('organization');
  if (found.needsSignIn) throw signInNeeded(organization);
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
  const actor = known(found.caller);
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
  const actor = known(found.caller);
  const { collection } = found;
  if (collection === undefined) throw notFound('collection');
  const permissions = collectionPermissions(collection.role, collection.onTheWay);
  if (!permissions.view) throw notFound('collection');
  return { actor, collection, isAdmin: found.isAdmin, allowed: permissions[right] };
}
