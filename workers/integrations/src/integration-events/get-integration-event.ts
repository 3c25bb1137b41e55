import { readRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { presentLogged, tracedRow } from './logged-event.ts';

export const getIntegrationEvent: Handler<typeof integrations.getIntegrationEvent, IntegrationsEnvironment> = async (
  { params: { eventId } },
  { db, integration: { integration } },
) => {
  const found = await readRow(
    db,
    tracedRow.query(sql`SELECT ${tracedRow} FROM integration_events e WHERE e.id = ${eventId}
      AND e.integration = ${integration.name} AND e.organization = ${integration.organization}`),
  );
  if (found === undefined) throw notFound('event');
  const { error, logs } = found;
  return { event: presentLogged(found), trace: { logs, ...(error === null ? {} : { error }) } };
};
