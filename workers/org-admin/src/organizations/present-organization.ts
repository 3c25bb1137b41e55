import type { Membership, OrganizationRecord } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { Organization } from '@octavo/schema';
import { organizationPermissions, timestamp } from '@octavo/schema';

/** An organization as one of its members sees it. Self-hosted has no plans: those fields are there for clients. */
export function presentOrganization(record: OrganizationRecord, membership: Membership, urls: Urls): Organization {
  const path = `/orgs/${record.id}`;
  return {
    object: 'organization',
    id: record.id,
    title: record.title,
    createdAt: timestamp(record.createdAt),
    emailDomains: record.emailDomains,
    ...(record.hostname === null ? {} : { hostname: record.hostname }),
    type: record.type,
    defaultRole: record.defaultRole,
    ...(record.defaultContent === null ? {} : { defaultContent: record.defaultContent }),
    sso: record.sso,
    ai: record.ai,
    inviteLinks: record.inviteLinks,
    plan: 'community_2024',
    urls: {
      location: urls.location(path),
      app: urls.app(path),
      ...(record.logo === null ? {} : { logo: record.logo }),
    },
    trial: { status: 'notapplicable' },
    permissions: organizationPermissions(membership.role, membership.ownsTeam),
  };
}
