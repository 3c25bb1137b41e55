import type { Membership, OrganizationRecord } from '@octavo/db';

import type { Organization } from '@octavo/schema';
import { organizationPermissions, strangerPermissions, timestamp } from '@octavo/schema';
import type { Urls } from './urls.ts';

/** An organization as one of its members sees it. */
export const presentOrganization = (record: OrganizationRecord, membership: Membership, urls: Urls): Organization => ({
  ...presentOutside(record, urls),
  ...(record.hostname === null ? {} : { hostname: record.hostname }),
  defaultRole: record.defaultRole,
  ...(record.defaultContent === null ? {} : { defaultContent: record.defaultContent }),
  ai: record.ai,
  mergeRules: record.mergeRules ?? { type: 'none' },
  permissions: organizationPermissions(membership.role, membership.ownsTeam),
});

/** What those learn of an organization who know one of its e-mail domains and are no members. */
export const presentToStranger = (record: OrganizationRecord, emailDomain: string, urls: Urls): Organization => ({
  ...presentOutside(record, urls),
  emailDomains: [emailDomain],
  permissions: strangerPermissions,
});

/** Self-hosted has no plans: those fields are there for clients. */
function presentOutside(record: OrganizationRecord, urls: Urls): Omit<Organization, 'permissions'> {
  const path = `/orgs/${record.id}`;
  return {
    object: 'organization',
    id: record.id,
    title: record.title,
    createdAt: timestamp(record.createdAt),
    emailDomains: record.emailDomains,
    type: record.type,
    sso: record.sso,
    inviteLinks: record.inviteLinks,
    plan: 'community_2024',
    urls: {
      location: urls.location(path),
      app: urls.app(path),
      ...(record.logo === null ? {} : { logo: record.logo }),
    },
    trial: { status: 'notapplicable', count: 0 },
  };
}
