import { auditEventEndpoints } from './audit-events.ts';
import { inviteEndpoints } from './invites.ts';
import { memberEndpoints } from './members.ts';
import { notificationEndpoints } from './notifications.ts';
import { emailDomainEndpoints, organizationEndpoints, subdomainEndpoints } from './organizations.ts';
import { permissionEndpoints } from './permissions.ts';
import { samlEndpoints } from './saml.ts';
import { organizationSearchEndpoints } from './search.ts';
import { serviceAccountEndpoints } from './service-accounts.ts';
import { teamEndpoints, teamMemberEndpoints } from './teams.ts';
import { translationEndpoints } from './translations.ts';
import { userEndpoints } from './users.ts';

export * from './audit-events.ts';
export * from './invites.ts';
export * from './members.ts';
export * from './notifications.ts';
export * from './organizations.ts';
export * from './permissions.ts';
export * from './saml.ts';
export * from './search.ts';
export * from './service.ts';
export * from './service-accounts.ts';
export * from './team.ts';
export * from './teams.ts';
export * from './translations.ts';
export * from './users.ts';

/** The endpoints of the org-admin worker. */
export const orgAdmin = {
  ...userEndpoints,
  ...notificationEndpoints,
  ...organizationEndpoints,
  ...memberEndpoints,
  ...serviceAccountEndpoints,
  ...teamEndpoints,
  ...teamMemberEndpoints,
  ...inviteEndpoints,
  ...permissionEndpoints,
  ...samlEndpoints,
  ...emailDomainEndpoints,
  ...subdomainEndpoints,
  ...organizationSearchEndpoints,
  ...translationEndpoints,
  ...auditEventEndpoints,
};
