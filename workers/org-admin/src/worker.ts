import { consume, implement, servePages } from '@octavo/runtime';
import { EventMessage, orgAdmin } from '@octavo/schema';
import { auditEventsHandlers } from './audit-events/handlers.ts';
import { runCron } from './crons.ts';
import type { OrgAdminEnvironment } from './environment.ts';
import { informationHandlers } from './information/handlers.ts';
import { invitesHandlers } from './invites/handlers.ts';
import { sendRequestedMail } from './mail/send-requested-mail.ts';
import { membersHandlers } from './members/handlers.ts';
import { organizationsHandlers } from './organizations/handlers.ts';
import { permissionsHandlers } from './permissions/handlers.ts';
import { searchHandlers } from './search/handlers.ts';
import { serviceAccountsHandlers } from './service-accounts/handlers.ts';
import { signInPages } from './sign-in/pages.ts';
import { ssoHandlers } from './sso/handlers.ts';
import { ssoPages } from './sso/pages.ts';
import { teamsHandlers } from './teams/handlers.ts';
import { translationsHandlers } from './translations/handlers.ts';
import { usersHandlers } from './users/handlers.ts';

export { Operator } from './operator/operator.ts';

const endpoints = implement<typeof orgAdmin, OrgAdminEnvironment>(orgAdmin, {
  ...informationHandlers,
  ...usersHandlers,
  ...serviceAccountsHandlers,
  ...organizationsHandlers,
  ...membersHandlers,
  ...teamsHandlers,
  ...invitesHandlers,
  ...permissionsHandlers,
  ...ssoHandlers,
  ...translationsHandlers,
  ...searchHandlers,
  ...auditEventsHandlers,
});

const pages = servePages<OrgAdminEnvironment>([...ssoPages, ...signInPages]);

export default {
  fetch(request, env, background) {
    const isApi = /^\/v1(?:\/|$)/.test(new URL(request.url).pathname);
    return isApi ? endpoints.fetch(request, env, background) : pages(request, env, background);
  },
  queue: (batch, env) => consume(batch, EventMessage, (message) => sendRequestedMail(message, env)),
  scheduled: ({ cron }, env) => runCron(cron, env),
} satisfies ExportedHandler<OrgAdminEnvironment>;
