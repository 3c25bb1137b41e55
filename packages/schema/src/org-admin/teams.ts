import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery, queryWords } from '../list.ts';
import { Team, TeamTitle } from './team.ts';

export * from './team.ts';

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
