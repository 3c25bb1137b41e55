import type { Row } from '@octavo/db';
import { text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { AuditEventDetails, orgAdmin } from '@octavo/schema';
import { eventData, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { eventColumns, isAudited, labelled, presentEvent, shownPart, typeOf } from './event-record.ts';

export const getOrganizationAuditEvent: Handler<
  typeof orgAdmin.getOrganizationAuditEvent,
  OrgAdminEnvironment
> = async ({ params: { eventId } }, { db, organization, urls }) => {
  const [row] = await db.all<Row>(
    labelled(sql`SELECT ${eventColumns} FROM outbox
      WHERE id = ${eventId} AND organization = ${organization.id} AND ${isAudited}`),
  );
  if (row === undefined) throw notFound('audit event');
  return {
    ...presentEvent(row, urls),
    correlationId: text(row, 'request_id'),
    schemaVersion: 1,
    payload: payloadOf(row),
  };
};

/** Of the data what the type declares, and of that only ids and words. */
function payloadOf(row: Row): AuditEventDetails['payload'] {
  const data = JSON.parse(text(row, 'data')) as Record<string, unknown>;
  const schemas: Record<string, { shape: object } | undefined> = eventData;
  const fields = Object.keys(schemas[typeOf(row)]?.shape ?? {});
  return Object.fromEntries(
    fields.flatMap((field): [string, string | string[]][] => {
      const value = data[field];
      if (typeof value === 'string') return [[field, shownPart(field, value)]];
      return Array.isArray(value) ? [[field, value.map(String)]] : [];
    }),
  );
}
