import { consume, handleEachMessage, implement } from '@octavo/runtime';
import { EventMessage, orgAdmin } from '@octavo/schema';
import { runCron } from './crons.ts';
import type { OrgAdminEnvironment } from './environment.ts';
import { handlers } from './handlers.ts';
import { sendRequestedMail } from './mail/send-requested-mail.ts';
import { signInPages } from './sign-in/pages.ts';
import { ssoPages } from './sso/pages.ts';

export { Operator } from './operator/operator.ts';

const endpoints = implement<typeof orgAdmin, OrgAdminEnvironment>(orgAdmin, handlers, [...ssoPages, ...signInPages]);

export default {
  fetch: endpoints.fetch,
  queue: (batch, env) =>
    consume(
      batch,
      EventMessage,
      handleEachMessage((message) => sendRequestedMail(message, env)),
    ),
  scheduled: ({ cron }, env) => runCron(cron, env),
} satisfies ExportedHandler<OrgAdminEnvironment>;
