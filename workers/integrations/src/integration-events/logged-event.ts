import type { RecordOf } from '@octavo/db';
import { integrationEvents, selection } from '@octavo/db';
import type { IntegrationEvent } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { aliasedTable } from 'drizzle-orm';

const e = aliasedTable(integrationEvents, 'e');

/** A run in a list. Of `integration_events e`. */
export const loggedRow = selection({
  id: e.id,
  integration: e.integration,
  installation: e.installation,
  createdAt: e.createdAt,
  payload: e.payload,
  status: e.status,
});

export const tracedRow = selection({ ...loggedRow.fields, error: e.error, logs: e.logs });

export function presentLogged(row: RecordOf<typeof loggedRow>): IntegrationEvent {
  const { id, integration, installation, createdAt, payload, status } = row;
  return {
    id,
    integrationId: integration,
    ...(installation === null ? {} : { installationId: installation }),
    createdAt: timestamp(createdAt),
    payload,
    status,
  };
}
