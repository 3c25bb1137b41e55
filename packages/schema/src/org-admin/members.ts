import * as z from 'zod';
import { Space } from '../content/spaces.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list, Order, PageQuery, queryWords } from '../list.ts';
import { Role, roles } from '../roles.ts';
import { Timestamp } from '../time.ts';
import { User } from '../user.ts';
import { Team, TeamMembership } from './team.ts';

/** A user in an organization. `id` is the user's; `role` is null for a guest. */
export const Member = z
  .object({
    object: z.literal('member'),
    id: z.string(),
    role: Role.nullable(),
    user: User,
    disabled: z.boolean(),
    joinedAt: Timestamp,
    lastSeenAt: Timestamp.optional(),
    sso: z.boolean(),
    spaces: z.number().int(),
    teams: z.number().int(),
    sites: z.number().int(),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;

/** A space that a member can access, with the member's role there. */
export const MemberSpace = z.object({ permission: Role, space: Space }).meta({ id: 'MemberSpace' });
export type MemberSpace = z.infer<typeof MemberSpace>;

export const MemberTeam = z.object({ team: Team, member: TeamMembership }).meta({ id: 'MemberTeam' });
export type MemberTeam = z.infer<typeof MemberTeam>;

const organizationParams = z.object({ organizationId: Id });
const params = organizationParams.extend({ userId: Id });

export const memberEndpoints = contract({
  listMembersInOrganizationById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/members',
    summary: 'List the members of an organization',
    access: { organization: 'listMembers' },
    scope: 'organization:members:read',
    params: organizationParams,
    query: PageQuery.extend({
      order: Order,
      role: z.enum([...roles, 'guest']).optional(),
      search: queryWords(256),
      sort: z.enum(['joinedAt', 'lastSeenAt']).default('joinedAt'),
    }),
    response: list(Member),
    success: 200,
  },
  getMemberInOrganizationById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/members/:userId',
    summary: 'Get a member of an organization',
    access: { member: 'view' },
    scope: 'organization:members:read',
    params,
    response: Member,
    success: 200,
  },
  updateMemberInOrganizationById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/members/:userId',
    summary: 'Change the role of a member',
    access: { organization: 'admin' },
    scope: 'organization:members:write',
    params,
    body: z.object({ role: Role.nullable().optional() }).prefault({}),
    response: Member,
    success: 200,
    errors: ['precondition_failed'],
  },
  removeMemberFromOrganizationById: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/members/:userId',
    summary: 'Remove a member, or leave an organization',
    access: { member: 'leave', signIn: 'any' },
    scope: 'organization:members:write',
    params,
    success: 204,
    errors: ['precondition_failed'],
  },
  disableMemberInOrganization: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/members/:userId/disable',
    summary: 'Disable a member',
    access: { organization: 'admin' },
    scope: 'organization:members:write',
    params,
    response: Member,
    success: 200,
    errors: ['precondition_failed'],
  },
  enableMemberInOrganization: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/members/:userId/enable',
    summary: 'Enable a disabled member',
    access: { organization: 'admin' },
    scope: 'organization:members:write',
    params,
    response: Member,
    success: 200,
  },
  updateOrganizationMemberLastSeenAt: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/ping',
    summary: 'Update the last-seen time of the caller',
    access: { organization: 'view' },
    scope: 'unscoped',
    params: organizationParams,
    response: z.object({ serviceVisitorClaims: z.string().optional() }),
    success: 200,
  },
  setUserAsSSOMemberForOrganization: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/members/:userId/sso',
    summary: 'Allow a member to sign in through SSO',
    access: { organization: 'admin' },
    scope: 'unscoped',
    params,
    response: Member,
    success: 200,
    errors: ['precondition_failed'],
  },
  listSpacesForOrganizationMember: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/members/:userId/spaces',
    summary: 'List the spaces that a member can open',
    access: { member: 'view' },
    scope: 'organization:members:read',
    params,
    query: FilteredPageQuery.extend({ order: Order }),
    response: list(MemberSpace),
    success: 200,
    hidesCost: 'from-members',
  },
  listTeamsForOrganizationMember: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/members/:userId/teams',
    summary: 'List the teams of a member',
    access: { member: 'view' },
    scope: 'organization:members:read',
    params,
    query: PageQuery.extend({ title: queryWords(64) }),
    response: list(MemberTeam),
    success: 200,
  },
});
