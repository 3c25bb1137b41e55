import { ids, organization } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const defaultContent = 'The content that members see first. Absent if none is set.';

export const organizations: ResourceDocumentation = {
  operations: {
    createOrganization: {
      description: 'Creates an organization. The caller becomes its first member, with the role `admin`.',
      body: {
        title: 'The name of the organization.',
        emailDomains:
          'Domains whose verified e-mail addresses allow users to join without an invitation. Duplicates are removed.',
      },
      example: { body: { title: 'Acme', emailDomains: ['acme.example'] } },
    },
    listOrganizationsForAuthenticatedUser: {
      description:
        'Lists the organizations that the caller is a member or guest of, the most recently joined first. With a ' +
        'token that is bound to one organization, only that one is listed.',
    },
    getOrganizationById: {
      description:
        'Returns an organization. Members receive all settings. An installation receives only what is shown to ' +
        'users who are not members.',
    },
    updateOrganizationById: {
      description: 'Changes settings of an organization. Omitted fields are unchanged. Requires an admin.',
      body: {
        title: 'The name of the organization.',
        emailDomains:
          'Domains whose verified e-mail addresses allow users to join without an invitation. Replaces the list; ' +
          'duplicates are removed.',
        hostname:
          'The name in the URLs of the published sites. It must be unique on the server, otherwise the request ' +
          'returns 409.',
        defaultRole:
          'The role of users who join through an e-mail domain or an invitation without a role. Null makes ' +
          'them guests.',
        defaultContent: 'The content that members see first. Null removes the setting.',
        'defaultContent.type': 'The kind of content; only `site` is supported.',
        'defaultContent.site': 'The id of a site of the organization.',
        logo: 'The URL of the logo. A `downloadURL` of a file, or the URL of a complete upload, is replaced by a permanent URL. Null removes the logo.',
        sso:
          'Whether members other than admins must sign in through SSO. It can be enabled only if the organization ' +
          'has an active SAML provider, otherwise the request returns 412.',
        ai: 'Whether AI features are enabled. Stored for clients; the server has no AI features.',
        inviteLinks: 'Whether invite links can be created and used.',
        mergeRules:
          'The rules that change requests must satisfy before they can be merged, in all spaces that inherit them.',
      },
      example: { body: { title: 'Acme', hostname: 'acme', defaultRole: 'read' } },
    },
    getOrganizationsForEmailDomain: {
      description:
        'Finds the organizations that list an e-mail domain, at most 100: those of the caller first, then the ' +
        'oldest. For organizations that the caller is not a member of, only what is needed to join or sign in is ' +
        'returned.',
      parameters: { emailDomain: 'The domain, such as `acme.example`. Case is ignored.' },
      response: { organizations: 'The organizations that list the domain.' },
      example: { response: { organizations: [organization] } },
    },
    getSubdomain: {
      description:
        'Finds the organization that has a hostname. Users who are not members find only organizations with a ' +
        'published public site; the request returns 404 for any other hostname.',
      parameters: { subdomain: 'The hostname of the organization.' },
    },
  },
  schemas: {
    Organization: {
      description: 'The account that owns members, teams, spaces, sites and integrations.',
      properties: {
        title: 'The name of the organization.',
        emailDomains:
          'Domains whose verified e-mail addresses allow users to join. Users who are not members see at most the ' +
          'domain that they asked for.',
        hostname: 'The name in the URLs of the published sites. Absent if none is set.',
        type: 'The kind of organization.',
        useCase: 'The intended use. Not set by this server.',
        communityType: 'The kind of community. Not set by this server.',
        defaultRole:
          'The role of users who join through an e-mail domain or an invitation without a role; null for guests. ' +
          'Only members see it.',
        defaultContent,
        'defaultContent.type': 'The kind of content.',
        'defaultContent.site': 'The id of the site.',
        sso: 'Whether members other than admins must sign in through SSO.',
        ai: 'Whether AI features are enabled. The server has no AI features.',
        inviteLinks: 'Whether invite links can be created and used.',
        mergeRules: 'The merge rules that spaces inherit. Users who are not members always see none.',
        plan: 'The product plan. Always `community_2024`, because a self-hosted server has no plans.',
        billing: 'The billing state. Absent, because a self-hosted server has no billing.',
        'billing.interval': 'The billing interval.',
        'billing.endDate': 'The end of the billing period.',
        'billing.hasPaymentFailed': 'Whether the last payment failed.',
        'billing.isScheduledToCancel': 'Whether the plan ends with the billing period.',
        'urls.app': 'The URL of the organization in the app.',
        'urls.logo': 'The URL of the logo. Absent if none is set.',
        trial: 'The state of the trial. A self-hosted server has no trials.',
        'trial.status': 'The status of the trial. Always `notapplicable`.',
        'trial.count': 'The number of trials. Always 0.',
        'trial.endDate': 'The end of the trial. Absent.',
        'trial.decision': 'The decision at the end of the trial. Absent.',
        customHostname: 'A hostname of the organization. Absent: hostnames belong to sites.',
        blocked: 'The reason why the organization is blocked. Absent: this server blocks none.',
        'blocked.reason': 'The kind of reason.',
        internal_billingMigration: 'The migration to a newer plan. Absent.',
        'internal_billingMigration.deadline': 'The deadline of the migration.',
        'internal_billingMigration.discountPercent': 'The discount in percent.',
        'internal_billingMigration.discountEndDate': 'The end of the discount.',
        internal_isOnNewTrial: 'A deprecated flag of the API family. Absent.',
      },
      example: organization,
    },
    Subdomain: {
      description: 'A hostname and the organization that it belongs to.',
      properties: {
        subdomain: 'The hostname of the organization.',
        target: 'The object that has the hostname.',
        'target.type': 'The kind of object.',
        'target.organization': 'The id of the organization.',
        isActive: 'Whether the organization has a published site.',
      },
      example: {
        object: 'subdomain',
        subdomain: 'acme',
        target: { type: 'organization', organization: ids.organization },
        isActive: true,
      },
    },
  },
};
