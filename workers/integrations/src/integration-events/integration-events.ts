import type { Parameter, RecordOf } from '@octavo/db';
import {
  countBytes,
  decodeCursor,
  fitExpressions,
  fitFields,
  fitRows,
  integrationEvents,
  isAfterCursor,
  paginateMatches,
  prepareQuery,
  readRow,
  readRows,
  scanRows,
  selection,
} from '@octavo/db';
import { deleteInBatches } from '@octavo/runtime';
import type { IntegrationEvent, OrganizationId } from '@octavo/schema';
import { formatTimestamp, notFound } from '@octavo/schema';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';

const e = aliasedTable(integrationEvents, 'e');

/** A run in a list. Selects from `integration_events e`. */
const loggedRow = selection({
  id: e.id,
  integration: e.integration,
  installation: e.installation,
  createdAt: e.createdAt,
  payload: e.payload,
  status: e.status,
});

const tracedRow = selection({ ...loggedRow.fields, error: e.error, logs: e.logs });

const selectTraced = prepareQuery(
  tracedRow,
  (select, id: Parameter<string>, integration: Parameter<string>, organization: Parameter<OrganizationId>) =>
    select.from(e).where(and(eq(e.id, id), eq(e.integration, integration), eq(e.organization, organization))),
);

const listedRow = selection({ ...loggedRow.fields, ...fitFields });

export const listIntegrationEvents = handler(
  'listIntegrationEvents',
  async ({ query: { page, limit } }, { db, integration: { integration } }) => {
    const cursor = decodeCursor(page, ['number', 'string']);
    const keys = fitRows({
      match: scanRows({
        columns: sql`e.id, e.created_at, ${countBytes(loggedRow.fields)} AS size`,
        from: sql`FROM integration_events e INDEXED BY integration_events_of_integration
        WHERE e.integration = ${integration.name} AND e.organization = ${integration.organization}
          AND ${isAfterCursor(cursor, sql`e.created_at`, sql`e.id`)}`,
        order: sql`e.created_at DESC, e.id DESC`,
        matches: undefined,
        limit,
      }),
      order: sql`f.created_at DESC, f.id DESC`,
    });
    const selectPage = listedRow.query(sql`SELECT ${listedRow.with(fitExpressions)} FROM (${keys}) l
    CROSS JOIN integration_events e ON e.id = l.id ORDER BY l.created_at DESC, l.id DESC`);
    return paginateMatches(await readRows(db, selectPage), limit, {
      item: presentLoggedEvent,
      getCursor: ({ createdAt, id }) => [createdAt, id],
    });
  },
);

export const getIntegrationEvent = handler(
  'getIntegrationEvent',
  async ({ params: { eventId } }, { db, integration: { integration } }) => {
    const traced = await readRow(db, selectTraced(eventId, integration.name, integration.organization));
    if (traced === undefined) throw notFound('event');
    const { error, logs } = traced;
    return { event: presentLoggedEvent(traced), trace: { logs, ...(error === null ? {} : { error }) } };
  },
);

function presentLoggedEvent(row: RecordOf<typeof loggedRow>): IntegrationEvent {
  const { id, integration, installation, createdAt, payload, status } = row;
  return {
    id,
    integrationId: integration,
    ...(installation === null ? {} : { installationId: installation }),
    createdAt: formatTimestamp(createdAt),
    payload,
    status,
  };
}

const keptMilliseconds = 30 * 24 * 3_600_000;

/** Deletes old runs of scripts. */
export const deleteOldEvents = (env: IntegrationsEnvironment): Promise<void> =>
  deleteInBatches(
    env,
    'runs of scripts',
    (limit) => sql`DELETE FROM integration_events WHERE id IN (
      SELECT id FROM integration_events INDEXED BY integration_events_by_age
      WHERE created_at < ${Date.now() - keptMilliseconds} ORDER BY created_at LIMIT ${limit}) RETURNING 1`,
  );
