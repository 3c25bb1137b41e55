import type {
  CallerRecord,
  ChangeRequestRecord,
  Database,
  Membership,
  OrganizationRecord,
  RevisionPoint,
  SpaceRecord,
} from '@octavo/db';
import { findCaller, findCollectionAccess, findOrganizationAccess, findSpaceAccess, hashToken } from '@octavo/db';
import type { Access, Endpoint, Role } from '@octavo/schema';
import {
  ApiError,
  collectionPermissions,
  forbidden,
  isAtLeast,
  notFound,
  organizationPermissions,
  spacePermissions,
} from '@octavo/schema';

/** What authorization found out; which fields are there follows from the endpoint's `access` and path. */
export interface Authorized {
  actor?: CallerRecord;
  organization?: OrganizationRecord;
  membership?: Membership;
  space?: SpaceRecord;
  role?: Role | null;
  changeRequest?: ChangeRequestRecord;
  point?: RevisionPoint;
}

type Params = Record<string, string>;

const unauthenticated = () =>
  new ApiError('unauthenticated', 'A valid token is needed: Authorization: Bearer <token>.');

/**
 * Decides whether the caller may use the endpoint on what the path names, in one database round trip.
 * Missing and unseen objects look alike: 404. What the caller sees but may not do is 403.
 */
export async function authorize(
  endpoint: Endpoint,
  params: Params | undefined,
  { db, authorization }: { db: Database; authorization: string | null },
): Promise<Authorized> {
  if (endpoint.access === 'public') return {};
  const token = /^Bearer ([\w-]{1,256})$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw unauthenticated();
  const hash = await hashToken(token);
  if (params === undefined) {
    known(await findCaller(db, hash));
    throw notFound('object');
  }
  const found = await find(endpoint.access, params, { db, hash });
  requireScope(endpoint, found.actor);
  if (!found.allowed) throw forbidden(`The caller may not do this here: it needs ${rightOf(endpoint.access)}.`);
  const { allowed, ...authorized } = found;
  return authorized;
}

/** For example: the right merge on the space. */
function rightOf(access: Exclude<Access, 'public'>): string {
  if (access === 'user') return 'a user';
  const [[target, right] = []] = Object.entries(access);
  return `the right ${right} on the ${target}`;
}

function known(caller: CallerRecord | undefined): CallerRecord {
  if (caller === undefined) throw unauthenticated();
  return caller;
}

function requireScope(endpoint: Endpoint, caller: CallerRecord): void {
  if (endpoint.scope === 'any' || caller.scopes === null) return;
  if (endpoint.scope === 'unscoped') throw forbidden('A token that is limited by scopes may not do this.');
  if (!caller.scopes.includes(endpoint.scope)) throw forbidden(`The token lacks the scope ${endpoint.scope}.`);
}

type Found = Authorized & { actor: CallerRecord; allowed: boolean };
type Reader = { db: Database; hash: string };

async function find(access: Exclude<Access, 'public'>, params: Params, reader: Reader): Promise<Found> {
  if (access === 'user' || 'integration' in access) {
    return { actor: known(await findCaller(reader.db, reader.hash)), allowed: true };
  }
  if ('space' in access) return findSpace(access, params, reader);
  if ('collection' in access) return findCollection(access.collection, params, reader);
  return findOrganization(access, params, reader);
}

type OrganizationAccessRule = Extract<
  Access,
  { organization: unknown } | { team: unknown } | { site: unknown } | { openapi: unknown }
>;

/** Teams, sites and specifications are decided by the role in their organization. */
async function findOrganization(access: OrganizationAccessRule, params: Params, { db, hash }: Reader): Promise<Found> {
  const found = await findOrganizationAccess(db, hash, params.organizationId ?? '');
  const actor = known(found.caller);
  if (found.organization === undefined) throw notFound('organization');
  const permissions = organizationPermissions(found.membership.role, found.membership.ownsTeam);
  const allowed = allows(access, permissions, found.membership.role);
  return { actor, organization: found.organization, membership: found.membership, allowed };
}

function allows(
  access: OrganizationAccessRule,
  permissions: ReturnType<typeof organizationPermissions>,
  role: Role | null,
): boolean {
  if ('organization' in access) return permissions[access.organization];
  if ('team' in access) return access.team === 'view' ? permissions.listTeams : permissions.admin;
  if ('site' in access) return access.site === 'view' ? isAtLeast(role, 'read') : permissions.createContent;
  return access.openapi === 'view' ? isAtLeast(role, 'read') : permissions.createOpenAPISpec;
}

async function findSpace(access: Extract<Access, { space: unknown }>, params: Params, reader: Reader): Promise<Found> {
  const { spaceId: space = '', changeRequestId: changeRequest, revisionId: revision } = params;
  const found = await findSpaceAccess(reader.db, reader.hash, { space, changeRequest, revision });
  const actor = known(found.caller);
  const deleted = found.space?.deletedAt != null;
  const permissions = spacePermissions(found.role, deleted);
  if (found.space === undefined || !permissions.view || (deleted && access.deleted !== 'allowed')) {
    throw notFound('space');
  }
  if (changeRequest !== undefined && found.changeRequest === undefined) throw notFound('change request');
  if (found.point === undefined) throw notFound('revision');
  return {
    actor,
    space: found.space,
    role: found.role,
    point: found.point,
    ...(found.changeRequest === undefined ? {} : { changeRequest: found.changeRequest }),
    allowed: permissions[access.space],
  };
}

async function findCollection(
  right: keyof ReturnType<typeof collectionPermissions>,
  params: Params,
  reader: Reader,
): Promise<Found> {
  const found = await findCollectionAccess(reader.db, reader.hash, params.collectionId ?? '');
  const actor = known(found.caller);
  const permissions = collectionPermissions(found.role);
  if (found.organization === undefined || !permissions.view) throw notFound('collection');
  return { actor, role: found.role, allowed: permissions[right] };
}
