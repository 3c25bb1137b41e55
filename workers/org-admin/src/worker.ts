import { consume, handleEachMessage, implement } from '@octavo/runtime';
import { EventMessage, orgAdmin } from '@octavo/schema';
import { runCron } from './crons.ts';
import { directoryPages } from './directory/directory-pages.ts';
import type { OrgAdminEnvironment } from './environment.ts';
import { handlers } from './handlers.ts';
import { loginPages } from './login/pages.ts';
import { sendRequestedMail } from './mail/send-requested-mail.ts';
import { sessionPages } from './sessions/pages.ts';
import { signInPages } from './sign-in/pages.ts';
import { ssoPages } from './sso/pages.ts';

export { Operator } from './operator/operator.ts';

const endpoints = implement<typeof orgAdmin, OrgAdminEnvironment>(orgAdmin, handlers, [
  ...ssoPages,
  ...signInPages,
  ...loginPages,
  ...sessionPages,
  ...directoryPages,
]);

export default {
  fetch: endpoints.fetch,
  queue: (batch, env) =>
    consume(
      batch,
      EventMessage,
      handleEachMessage((message) => sendRequestedMail(message, env)),
    ),
  scheduled: ({ cron }, env, background) => runCron(cron, env, background),
} satisfies ExportedHandler<OrgAdminEnvironment>;
