import type { ResourceDocumentation } from '../documentation.ts';
import { auditEvents } from './audit-events.ts';
import { invites } from './invites.ts';
import { members } from './members.ts';
import { notifications } from './notifications.ts';
import { organizations } from './organizations.ts';
import { permissions } from './permissions.ts';
import { saml } from './saml.ts';
import { search } from './search.ts';
import { serviceAccounts } from './service-accounts.ts';
import { teamMembers } from './team-members.ts';
import { teams } from './teams.ts';
import { translations } from './translations.ts';
import { users } from './users.ts';

export const orgAdminDocumentation: ResourceDocumentation[] = [
  auditEvents,
  invites,
  members,
  notifications,
  organizations,
  permissions,
  saml,
  search,
  serviceAccounts,
  teamMembers,
  teams,
  translations,
  users,
];
