import { implement, readGatewayContext } from '@octavo/runtime';
import { integrations } from '@octavo/schema';
import { runCron } from './crons.ts';
import { handleMessages } from './deliveries/handle-messages.ts';
import type { IntegrationsEnvironment } from './environment.ts';
import { handlers } from './handlers.ts';
import { imagePages } from './integrations/objects.ts';
import { servePublicEndpoint } from './public-endpoints/serve-public-endpoint.ts';

export { Operator } from './operator.ts';
export { ScriptOutbound } from './scripts/run-script.ts';

const endpoints = implement<typeof integrations, IntegrationsEnvironment>(integrations, handlers, imagePages);

export default {
  fetch(request, env, background) {
    const { url = new URL(request.url) } = readGatewayContext(request);
    if (url.pathname.startsWith('/integrations/')) return servePublicEndpoint(request, env);
    return endpoints.fetch(request, env, background);
  },
  queue: (batch, env, background) => handleMessages(batch, env, background),
  scheduled: ({ cron }, env, background) => runCron(cron, env, background),
} satisfies ExportedHandler<IntegrationsEnvironment>;
