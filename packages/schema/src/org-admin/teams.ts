import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery, queryWords } from '../list.ts';
import { Member } from './members.ts';
import { Team, TeamMembership, TeamRole, TeamTitle } from './team.ts';

const organizationParams = z.object({ organizationId: Id });
const params = organizationParams.extend({ teamId: Id });

export const teamEndpoints = contract({
  listTeamsInOrganizationById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/teams',
    summary: 'List the teams of an organization',
    access: { organization: 'listTeams' },
    scope: 'organization:members:read',
    params: organizationParams,
    query: PageQuery.extend({ owner: Id.optional(), title: queryWords(64) }),
    response: list(Team),
    success: 200,
  },
  createOrganizationTeam: {
    method: 'PUT',
    path: '/v1/orgs/:organizationId/teams',
    summary: 'Create a team',
    access: { organization: 'admin' },
    scope: 'organization:members:write',
    params: organizationParams,
    body: z.object({ title: TeamTitle, members: z.array(Id).max(1000).default([]) }),
    response: Team,
    success: 201,
  },
  getTeamInOrganizationById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/teams/:teamId',
    summary: 'Get a team',
    access: { team: 'view' },
    scope: 'organization:members:read',
    params,
    response: Team,
    success: 200,
  },
  updateTeamInOrganizationById: {
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/teams/:teamId',
    summary: 'Rename a team',
    access: { organization: 'admin' },
    scope: 'organization:members:write',
    params,
    body: z.object({ title: TeamTitle }),
    response: Team,
    success: 200,
  },
  removeTeamFromOrganizationById: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/teams/:teamId',
    summary: 'Delete a team',
    access: { organization: 'admin' },
    scope: 'organization:members:write',
    params,
    success: 204,
  },
});

/** A member of a team, with the membership in the organization and in the team. */
export const TeamMember = z
  .object({ organization: Member, team: TeamMembership, permissions: z.object({ view: z.boolean() }) })
  .meta({ id: 'TeamMember' });
export type TeamMember = z.infer<typeof TeamMember>;

const maxMembers = 1000;
const UserIdsOrEmails = z.array(z.union([Id, z.email().max(320)])).max(maxMembers);

const memberParams = z.object({ organizationId: Id, teamId: Id });

export const teamMemberEndpoints = contract({
  listTeamMembersInOrganizationById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/teams/:teamId/members',
    summary: 'List the members of a team',
    access: { team: 'view' },
    scope: 'organization:members:read',
    params: memberParams,
    query: PageQuery,
    response: list(TeamMember),
    success: 200,
  },
  /** Users who are in both `add` and `remove` are removed. */
  updateMembersInOrganizationTeam: {
    method: 'PUT',
    path: '/v1/orgs/:organizationId/teams/:teamId/members',
    summary: 'Add and remove members of a team',
    access: { team: 'admin' },
    scope: 'organization:members:write',
    params: memberParams,
    body: z
      .object({
        add: UserIdsOrEmails.optional(),
        remove: UserIdsOrEmails.optional(),
        memberships: z
          .record(Id, TeamMembership)
          .refine((roles) => Object.keys(roles).length <= maxMembers, `must have at most ${maxMembers} users`)
          .optional(),
      })
      .prefault({}),
    success: 204,
  },
  /** Without a role, a new member becomes `member`, and an existing member of the team keeps the current role. */
  addMemberToOrganizationTeamById: {
    method: 'PUT',
    path: '/v1/orgs/:organizationId/teams/:teamId/members/:userId',
    summary: 'Add a member to a team, or change their role',
    access: { team: 'admin' },
    scope: 'organization:members:write',
    params: memberParams.extend({ userId: Id }),
    body: z.object({ role: TeamRole.optional() }).prefault({}),
    success: 204,
  },
  deleteMemberFromOrganizationTeamById: {
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/teams/:teamId/members/:userId',
    summary: 'Remove a member from a team',
    access: { team: 'admin' },
    scope: 'organization:members:write',
    params: memberParams.extend({ userId: Id }),
    success: 204,
  },
});
