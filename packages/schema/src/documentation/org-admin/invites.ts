import { ids, space } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

export const invites: ResourceDocumentation = {
  operations: {
    inviteUsersToOrganization: {
      description:
        'Invites people by e-mail. They become members immediately, and receive an e-mail with a link to sign in. ' +
        'Existing members keep their role and receive the e-mail too; disabled members do not. An organization can ' +
        'send at most 1,000 invitations a day. Requires an admin; a token with scopes cannot invite admins.',
      body: {
        emails: 'The addresses to invite. If an address occurs more than once, the first occurrence counts.',
        'emails[].email': 'The e-mail address.',
        'emails[].role': 'The role of this person. Null makes the person a guest.',
        role:
          'The role for addresses without their own. Null makes them guests. If omitted, it is the `defaultRole` of ' +
          'the organization.',
        sso: 'Whether the new members sign in through SSO. Always true if the organization enforces SSO.',
      },
      response: {
        users: 'The ids of the invited users, including those who were members already.',
        invited: 'The number of invited users.',
        failedSSOEmails:
          'With SSO: the addresses of existing members who are not allowed to sign in through SSO, and were not ' +
          'invited. Absent if there are none.',
      },
      example: {
        body: { emails: ['ben@acme.example', { email: 'eve@partner.example', role: null }], role: 'edit' },
        response: { users: [ids.colleague, ids.user], invited: 2 },
      },
    },
    listOrganizationInviteLinks: {
      description:
        'Lists the invite links that the caller manages, newest first: links to the organization for admins, and ' +
        'links to spaces and collections on which the caller has at least the role `create`. Links that grant more ' +
        'than the role of the caller are omitted.',
    },
    createOrganizationInvite: {
      description:
        'Creates an invite link to the organization, a space or a collection. Anyone who knows the id of the link ' +
        'can join with it. The role can be at most the role of the caller there. An organization can have at most ' +
        '1,000 links. Returns 412 if invite links are disabled.',
      body: {
        role: 'The role in the organization. Must be the only field. Null makes joining users guests.',
        level: 'The role on the space or collection. Null grants nothing.',
        space: 'The id of the space.',
        collection: 'The id of the collection.',
      },
      example: { body: { level: 'comment', space: ids.space } },
    },
    getOrganizationInviteLink: {
      description: 'Returns an invite link that the caller manages. Returns 404 for any other link.',
    },
    updateOrganizationInviteById: {
      description:
        'Changes the role that an invite link grants to users who join from now on. Send `role` for a link to the ' +
        'organization, and `level` for a link to a space or collection.',
      body: {
        role: 'The new role in the organization. Null makes joining users guests.',
        level: 'The new role on the space or collection. Null grants nothing.',
      },
      example: { body: { level: 'read' } },
    },
    deleteOrganizationInviteById: {
      description: 'Deletes an invite link. Users who joined with it remain members.',
    },
    joinOrganizationWithInvite: {
      description:
        'Joins an organization with an invite link. The caller becomes a member, with the role of the link, or a ' +
        'guest with a grant on the linked space or collection. A link never lowers a role. Returns 412 if invite ' +
        'links are disabled or the organization enforces SSO, and 403 for a service account.',
      example: { response: {} },
    },
    joinOrganization: {
      description:
        `Joins an organization that lists the domain of the caller's e-mail address. The address must be verified, ` +
        `which happens when the user signs in with a link sent to it. The new member gets the \`defaultRole\` of ` +
        'the organization. Returns 412 if the organization enforces SSO. For members, the request does nothing.',
    },
  },
  schemas: {
    Invite: {
      description: 'An invite link to an organization, with a `role`, or to a space or collection, with a `level`.',
      properties: {
        id: 'The id of the link. It is a secret: anyone who knows it can join.',
        redundant: 'Whether the link grants nothing beyond the role that the caller has.',
        role: 'The role in the organization. Null makes joining users guests. Only for links to the organization.',
        level: 'The role on the space or collection. Null grants nothing. Only for links to content.',
        space: 'The linked space. Only for links to a space.',
        collection: 'The linked collection. Only for links to a collection.',
      },
      example: { object: 'invite', id: ids.invite, redundant: true, level: 'comment', space },
    },
  },
};
