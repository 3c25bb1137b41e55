import type { Caller, EventType, NewEvent, OrganizationId } from '@octavo/schema';
import { AuditOrigin, auditedFields } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { prepareStatement } from '../prepared.ts';
import type { Query } from '../selection.ts';
import { fromQuery, nullable, selection, serializeStored } from '../selection.ts';

/**
 * The events that a SELECT of `space` and `data` generates, one event for each row. The SELECT runs before the write.
 * It is used when a write affects any number of rows that belong to another worker. These events have no consumer.
 */
export interface EventsOfRows {
  type: Extract<EventType, `${'space' | 'site'}_installation.deleted`>;
  organization: OrganizationId;
  rows: SQL;
}

/** An event that a commit writes. */
export type CausedEvent = NewEvent | EventsOfRows;

/** Whether the events are generated from rows. */
export const isEventsOfRows = (event: CausedEvent): event is EventsOfRows => 'rows' in event;

/** The origin of the request, for events in the audit log. */
export const getOrigin = ({ origin }: Caller, type: EventType): string | undefined =>
  auditedFields[type] === null || origin === undefined ? undefined : serializeStored(AuditOrigin, origin);

/** The condition of the trigger `outbox_fed`. */
const isFed = sql.raw(`instr(type, '.') > 0 AND type <> 'content.changed' AND type <> 'mail.requested' AND EXISTS (
  SELECT 1 FROM subscriptions s WHERE s.organization = outbox.organization AND s.status IN ('active', 'leaving'))`);

const insertedEventRow = selection({ fed: nullable(fromQuery((id: OrganizationId) => id)) });

/** The organization to whose feed a trigger added the event. */
const returnFedOrganization = sql`RETURNING CASE WHEN ${isFed} THEN organization END AS fed`;

/** Inserts events from JSON. */
export const insertEvents = prepareStatement(
  (actor: SQL<string>, requestId: SQL<string>, depth: SQL<number>, now: SQL<number>, events: SQL<string>) =>
    insertedEventRow.query(sql`
    INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at, done_at, origin,
      depth)
    SELECT value->>'id', value->>'type', value->>'organization', value->>'space', ${actor}, ${requestId},
      value->>'data', ${now}, ${now}, value->>'doneAt', value->>'origin', ${depth}
    FROM json_each(${events})
    ${returnFedOrganization}`),
);

/** Inserts the events that are generated from rows. */
export const insertEventsOfRows = (
  caller: Caller,
  now: number,
  { type, organization, rows }: EventsOfRows,
): Query<{ fed: OrganizationId | null }> =>
  insertedEventRow.query(sql`
    INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at, done_at, origin,
      depth)
    SELECT 'evt_' || lower(hex(randomblob(10))), ${type}, ${organization}, source.space, ${caller.actor},
      ${caller.requestId}, source.data, ${now}, ${now}, ${now}, ${getOrigin(caller, type) ?? null},
      ${caller.depth ?? 0}
    FROM (${rows}) source
    ${returnFedOrganization}`);
