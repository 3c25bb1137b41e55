import { ids, space, user } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { team } from './teams.ts';

export const member = {
  object: 'member',
  id: ids.user,
  role: 'admin',
  user,
  disabled: false,
  joinedAt: '2026-01-12T09:30:00.000Z',
  lastSeenAt: '2026-03-02T15:05:00.000Z',
  sso: false,
  spaces: 2,
  teams: 1,
  sites: 0,
} as const;

const userId = 'The id of the member.';

export const members: ResourceDocumentation = {
  operations: {
    listMembersInOrganizationById: {
      description:
        'Lists the members of the organization, including guests and service accounts. The accounts of ' +
        'installations are not listed.',
      parameters: {
        order: 'The direction of the order.',
        role: 'Lists only members with this role. `guest` lists members without a role.',
        search:
          'Lists only members whose name or e-mail address contains this text. Case is ignored. A page searches at ' +
          'most 5,000 rows, so it can be short or empty although there is a `next`.',
        sort: 'The time to order by. With `lastSeenAt`, members who were never seen are omitted.',
      },
    },
    getMemberInOrganizationById: {
      description:
        'Returns a member of the organization. Members can always read themselves; guests can read only themselves.',
      parameters: { userId },
    },
    updateMemberInOrganizationById: {
      description:
        'Changes the role of a member. An organization keeps at least one active admin who can sign in: the request ' +
        'returns 412 for the last one. A token with scopes cannot make admins.',
      parameters: { userId },
      body: { role: 'The new role. Null makes the member a guest. If omitted, the role is unchanged.' },
      example: { body: { role: 'review' } },
    },
    removeMemberFromOrganizationById: {
      description:
        'Removes a member from the organization, or lets the caller leave it. The direct grants, team memberships, ' +
        'invite links and organization-bound tokens of the member are removed too. Returns 412 for the last admin ' +
        'who can sign in. A user who can sign in through the SSO of the organization can return as a new member; ' +
        'disable the member to prevent that.',
      parameters: { userId },
    },
    disableMemberInOrganization: {
      description:
        'Suspends a member without ending the membership. All access of the member to the organization ends ' +
        'immediately. Returns 412 for the last admin who can sign in.',
      parameters: { userId },
    },
    enableMemberInOrganization: {
      description: 'Restores the access of a disabled member, with the same role and grants as before.',
      parameters: { userId },
    },
    updateOrganizationMemberLastSeenAt: {
      description:
        'Sets the `lastSeenAt` of the caller to the current time and returns a token that identifies the caller to ' +
        'sites. Writes no audit event.',
      response: {
        serviceVisitorClaims:
          'A JSON Web Token, signed with HS256 and valid for one hour, with the id and the role of the caller.',
      },
      example: {
        response: { serviceVisitorClaims: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJyb2xlIjoiZWRpdCJ9.c2lnbmF0dXJl' },
      },
    },
    setUserAsSSOMemberForOrganization: {
      description:
        'Allows a member to sign in through the SSO of the organization with an existing account. Returns 412 for a ' +
        'service account, which does not sign in.',
      parameters: { userId },
    },
    listSpacesForOrganizationMember: {
      description:
        'Lists the spaces that both the member can open and the caller can see, ordered by creation time. Deleted ' +
        'spaces are not listed.',
      parameters: { userId, order: 'The direction of the order.' },
    },
    listTeamsForOrganizationMember: {
      description: 'Lists the teams that a member belongs to, the most recently joined first.',
      parameters: {
        userId,
        title:
          'Lists only teams whose title contains this text. Case is ignored. A page searches at most 5,000 rows, so ' +
          'it can be short or empty although there is a `next`.',
      },
    },
  },
  schemas: {
    Member: {
      description: 'A user in an organization.',
      properties: {
        id: 'The id of the user.',
        role: 'The role in the organization. Null for a guest, who has access only where it is granted.',
        user: 'The user. Guests do not see the e-mail addresses of others.',
        disabled: 'Whether the member is suspended. A disabled member has no access to the organization.',
        joinedAt: 'The time at which the user became a member.',
        lastSeenAt: 'The time of the last ping. Absent if the member was never seen.',
        sso: 'Whether the member may sign in through the SSO of the organization.',
        spaces:
          'The number of spaces on which the member has a direct grant, including deleted ones that can be restored.',
        teams: 'The number of teams that the member belongs to.',
        sites: 'The number of sites on which the member has a direct grant. Always 0: sites have no grants.',
      },
      example: member,
    },
    MemberSpace: {
      description: 'A space that a member can open.',
      properties: {
        permission: 'The effective role of the member on the space.',
        space: 'The space, with the permissions of the caller.',
      },
      example: { permission: 'edit', space },
    },
    MemberTeam: {
      description: 'A team that a member belongs to.',
      properties: { team: 'The team of the member.', member: 'The membership in the team.' },
      example: { team, member: { role: 'owner' } },
    },
  },
};
