import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Timestamp } from '../time.ts';
import { IntegrationName } from './integration.ts';

/** What a script is called for, by its type; the rest is the type's own. */
export const ScriptEvent = z.looseObject({ eventId: z.string(), type: z.string() }).meta({ id: 'ScriptEvent' });
export type ScriptEvent = z.infer<typeof ScriptEvent>;

/** An event as the log keeps it: of one that is long, its id and type. */
export const LoggedEvent = ScriptEvent;

/** What a script wrote to its console. */
const ScriptLogLine = z
  .object({ message: z.string(), timestamp: Timestamp, level: z.enum(['debug', 'info', 'warn', 'error']) })
  .meta({ id: 'ScriptLog' });
export const ScriptLogs = z.array(ScriptLogLine);

/** What an integration gave to be called with later. */
export const IntegrationTask = z.record(z.string(), z.unknown());

export const IntegrationEvent = z
  .object({
    id: z.string(),
    integrationId: z.string(),
    installationId: z.string().optional(),
    createdAt: Timestamp,
    payload: ScriptEvent,
    status: z.enum(['success', 'failed']),
  })
  .meta({ id: 'IntegrationEvent' });
export type IntegrationEvent = z.infer<typeof IntegrationEvent>;

const params = z.object({ integrationName: IntegrationName });

export const integrationEventEndpoints = contract({
  listIntegrationEvents: {
    method: 'GET',
    path: '/v1/integrations/:integrationName/events',
    summary: 'List the runs of the script of an integration, the newest first',
    access: { integration: 'admin' },
    scope: 'integration:publish',
    byIntegration: true,
    params,
    query: PageQuery,
    response: list(IntegrationEvent),
    success: 200,
  },
  getIntegrationEvent: {
    method: 'GET',
    path: '/v1/integrations/:integrationName/events/:eventId',
    summary: 'Get a run of the script of an integration, with what it wrote to its console',
    access: { integration: 'admin' },
    scope: 'integration:publish',
    byIntegration: true,
    params: params.extend({ eventId: Id }),
    response: z.object({
      event: IntegrationEvent,
      trace: z.object({
        logs: ScriptLogs,
        error: z.string().optional().meta({ description: 'Our extension: why the run failed.' }),
      }),
    }),
    success: 200,
  },
});
