import type { Handlers } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import * as auditEvents from './audit-events/audit-events.ts';
import type { OrgAdminEnvironment } from './environment.ts';
import * as inviteUsers from './invites/invite-users.ts';
import * as invites from './invites/invites.ts';
import * as join from './invites/join.ts';
import * as members from './members/members.ts';
import * as notifications from './notifications/notifications.ts';
import * as organizations from './organizations/organizations.ts';
import * as permissions from './permissions/permissions.ts';
import * as search from './search/search.ts';
import * as synonyms from './search/synonyms.ts';
import * as serviceAccounts from './service-accounts/service-accounts.ts';
import * as sessions from './sessions/sessions.ts';
import * as samlProviders from './sso/providers.ts';
import * as teams from './teams/teams.ts';
import * as tokens from './tokens/tokens.ts';
import * as translations from './translations/translations.ts';
import * as users from './users/users.ts';

/** The operations of this worker. */
export const handlers: Handlers<typeof orgAdmin, OrgAdminEnvironment> = {
  ...auditEvents,
  ...inviteUsers,
  ...invites,
  ...join,
  ...members,
  ...notifications,
  ...organizations,
  ...permissions,
  ...search,
  ...serviceAccounts,
  ...sessions,
  ...samlProviders,
  ...synonyms,
  ...teams,
  ...tokens,
  ...translations,
  ...users,
};
