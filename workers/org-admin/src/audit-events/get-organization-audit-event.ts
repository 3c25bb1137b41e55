import { readRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { AuditEventDetails, orgAdmin } from '@octavo/schema';
import { eventData, notFound, shownPart } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import type { EventRecord } from './event-record.ts';
import { eventColumns, eventRow, isAudited, labelled, presentEvent } from './event-record.ts';

export const getOrganizationAuditEvent: Handler<
  typeof orgAdmin.getOrganizationAuditEvent,
  OrgAdminEnvironment
> = async ({ params: { eventId } }, { db, organization, urls }) => {
  const found = eventRow.query(
    labelled(
      eventRow,
      sql`SELECT ${eventColumns} FROM outbox
      WHERE id = ${eventId} AND organization = ${organization.id} AND ${isAudited}`,
    ),
  );
  const event = await readRow(db, found);
  if (event === undefined) throw notFound('audit event');
  return {
    ...presentEvent(event, urls),
    correlationId: event.requestId,
    schemaVersion: 1,
    payload: payloadOf(event),
  };
};

/** Of the data what the type declares, and of that only ids and words. */
function payloadOf({ type, data }: EventRecord): AuditEventDetails['payload'] {
  const schemas: Record<string, { shape: object } | undefined> = eventData;
  const fields = Object.keys(schemas[type]?.shape ?? {});
  return Object.fromEntries(
    fields.flatMap((field): [string, string | string[]][] => {
      const value = data[field];
      if (typeof value === 'string') return [[field, shownPart(field, value)]];
      return Array.isArray(value) ? [[field, value.map(String)]] : [];
    }),
  );
}
