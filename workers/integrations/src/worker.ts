import { implement, servePages } from '@octavo/runtime';
import { integrations } from '@octavo/schema';
import { runCron } from './crons.ts';
import { takeMessages } from './deliveries/take-messages.ts';
import type { IntegrationsEnvironment } from './environment.ts';
import { handlers } from './handlers.ts';
import { imagePages } from './integrations/objects.ts';
import { servePublicEndpoint } from './public-endpoints/serve-public-endpoint.ts';

export { Operator } from './operator.ts';
export { ScriptOutbound } from './scripts/run-script.ts';

const endpoints = implement<typeof integrations, IntegrationsEnvironment>(integrations, handlers);

const pages = servePages<IntegrationsEnvironment>([...imagePages]);

export default {
  fetch(request, env, background) {
    const url = new URL(request.url);
    const isApi = /^\/v1(?:\/|$)/.test(url.pathname);
    if (url.pathname.startsWith('/integrations/')) return servePublicEndpoint(request, env);
    return isApi ? endpoints.fetch(request, env, background, url) : pages(request, env, background);
  },
  queue: (batch, env, background) => takeMessages(batch, env, background),
  scheduled: ({ cron }, env, background) => runCron(cron, env, background),
} satisfies ExportedHandler<IntegrationsEnvironment>;
