import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list, PageQuery } from '../list.ts';
import { Role } from '../roles.ts';
import { User } from '../user.ts';
import { Team } from './team.ts';

/** The effective role of a member on a space or collection, with the member. */
export const UserPermission = z.object({ permission: Role, user: User }).meta({ id: 'UserPermission' });
export type UserPermission = z.infer<typeof UserPermission>;

/** A direct grant. A null role explicitly denies access. */
export const UserGrant = z.object({ permission: Role.nullable(), user: User }).meta({ id: 'GivenToUser' });
export type UserGrant = z.infer<typeof UserGrant>;

export const TeamGrant = z.object({ permission: Role.nullable(), team: Team }).meta({ id: 'GivenToTeam' });
export type TeamGrant = z.infer<typeof TeamGrant>;

export const maxGrantsPerCall = 100;
const Subjects = z.array(Id).max(maxGrantsPerCall).optional();

const Grants = z
  .object({ users: Subjects, teams: Subjects, role: Role.nullable() })
  .refine(({ users = [], teams = [] }) => users.length + teams.length > 0, 'must have at least one user or team');

const Grant = z.object({ role: Role.nullable().optional() }).prefault({});

const spaceParams = z.object({ spaceId: Id });
const collectionParams = z.object({ collectionId: Id });

type Kind = 'space' | 'collection';
const requireAdmin = <const K extends Kind>(kind: K) => ({ [kind]: 'admin' }) as { [Key in K]: 'admin' };
const change = <const K extends Kind>(kind: K) =>
  ({ access: requireAdmin(kind), scope: 'space:permissions:write' }) as const;
const readPermissions = <const K extends Kind>(kind: K) =>
  ({ access: requireAdmin(kind), scope: 'space:permissions:read' }) as const;

/** Users with the right `admin` on a space or collection can set the roles of others on it, up to their own role. */
export const permissionEndpoints = contract({
  inviteToSpace: {
    ...change('space'),
    method: 'POST',
    path: '/v1/spaces/:spaceId/permissions',
    summary: 'Grant a role on a space',
    params: spaceParams,
    body: Grants,
    success: 204,
  },
  listPermissionsAggregateInSpace: {
    ...readPermissions('space'),
    method: 'GET',
    path: '/v1/spaces/:spaceId/permissions/aggregate',
    summary: 'List effective roles on a space',
    params: spaceParams,
    query: FilteredPageQuery.extend({ role: Role.optional() }),
    response: list(UserPermission),
    success: 200,
    hidesCost: 'from-members',
  },
  listUserPermissionsInSpace: {
    ...readPermissions('space'),
    method: 'GET',
    path: '/v1/spaces/:spaceId/permissions/users',
    summary: 'List direct grants of members on a space',
    params: spaceParams,
    query: PageQuery,
    response: list(UserGrant),
    success: 200,
  },
  updateUserPermissionInSpace: {
    ...change('space'),
    method: 'PATCH',
    path: '/v1/spaces/:spaceId/permissions/users/:userId',
    summary: 'Change the direct grant of a member on a space',
    params: spaceParams.extend({ userId: Id }),
    body: Grant,
    success: 204,
  },
  removeUserFromSpace: {
    ...change('space'),
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/permissions/users/:userId',
    summary: 'Remove the direct grant of a member on a space',
    params: spaceParams.extend({ userId: Id }),
    success: 205,
  },
  listTeamPermissionsInSpace: {
    ...readPermissions('space'),
    method: 'GET',
    path: '/v1/spaces/:spaceId/permissions/teams',
    summary: 'List direct grants of teams on a space',
    params: spaceParams,
    query: PageQuery,
    response: list(TeamGrant),
    success: 200,
  },
  updateTeamPermissionInSpace: {
    ...change('space'),
    method: 'PATCH',
    path: '/v1/spaces/:spaceId/permissions/teams/:teamId',
    summary: 'Change the direct grant of a team on a space',
    params: spaceParams.extend({ teamId: Id }),
    body: Grant,
    success: 204,
  },
  removeTeamFromSpace: {
    ...change('space'),
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/permissions/teams/:teamId',
    summary: 'Remove the direct grant of a team on a space',
    params: spaceParams.extend({ teamId: Id }),
    success: 205,
  },
  inviteToCollection: {
    ...change('collection'),
    method: 'POST',
    path: '/v1/collections/:collectionId/permissions',
    summary: 'Grant a role on a collection',
    params: collectionParams,
    body: Grants,
    success: 204,
  },
  listPermissionsAggregateInCollection: {
    ...readPermissions('collection'),
    method: 'GET',
    path: '/v1/collections/:collectionId/permissions/aggregate',
    summary: 'List effective roles on a collection',
    params: collectionParams,
    query: FilteredPageQuery.extend({ role: Role.optional() }),
    response: list(UserPermission),
    success: 200,
    hidesCost: 'from-members',
  },
  listUserPermissionsInCollection: {
    ...readPermissions('collection'),
    method: 'GET',
    path: '/v1/collections/:collectionId/permissions/users',
    summary: 'List direct grants of members on a collection',
    params: collectionParams,
    query: PageQuery,
    response: list(UserGrant),
    success: 200,
  },
  updateUserPermissionInCollection: {
    ...change('collection'),
    method: 'PATCH',
    path: '/v1/collections/:collectionId/permissions/users/:userId',
    summary: 'Change the direct grant of a member on a collection',
    params: collectionParams.extend({ userId: Id }),
    body: Grant,
    success: 204,
  },
  removeUserFromCollection: {
    ...change('collection'),
    method: 'DELETE',
    path: '/v1/collections/:collectionId/permissions/users/:userId',
    summary: 'Remove the direct grant of a member on a collection',
    params: collectionParams.extend({ userId: Id }),
    success: 205,
  },
  listTeamPermissionsInCollection: {
    ...readPermissions('collection'),
    method: 'GET',
    path: '/v1/collections/:collectionId/permissions/teams',
    summary: 'List direct grants of teams on a collection',
    params: collectionParams,
    query: PageQuery,
    response: list(TeamGrant),
    success: 200,
  },
  updateTeamPermissionInCollection: {
    ...change('collection'),
    method: 'PATCH',
    path: '/v1/collections/:collectionId/permissions/teams/:teamId',
    summary: 'Change the direct grant of a team on a collection',
    params: collectionParams.extend({ teamId: Id }),
    body: Grant,
    success: 204,
  },
  removeTeamFromCollection: {
    ...change('collection'),
    method: 'DELETE',
    path: '/v1/collections/:collectionId/permissions/teams/:teamId',
    summary: 'Remove the direct grant of a team on a collection',
    params: collectionParams.extend({ teamId: Id }),
    success: 205,
  },
});
