import type { Caller, EventType, NewEvent, OrganizationId } from '@octavo/schema';
import { AuditOrigin, audited } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { statement } from '../prepared.ts';
import type { Query } from '../selection.ts';
import { given, maybe, selection, toStored } from '../selection.ts';

/**
 * An event for each row of a SELECT of `space` and `data`, as it is before the write: for what an effect does to rows of
 * another worker, however many they are. No consumer waits for these.
 */
export interface EventsOfRows {
  type: Extract<EventType, `${'space' | 'site'}_installation.deleted`>;
  organization: OrganizationId;
  rows: SQL;
}

/** What a commit tells of. */
export type CausedEvent = NewEvent | EventsOfRows;

/** Whether the events follow from rows. */
export const isOfRows = (event: CausedEvent): event is EventsOfRows => 'rows' in event;

/** From where the request came, for events that the audit log tells. */
export const originOf = ({ origin }: Caller, type: EventType): string | undefined =>
  audited[type] === null || origin === undefined ? undefined : toStored(AuditOrigin, origin);

/** The condition of the trigger `outbox_fed`, word for word. */
const isFed = sql.raw(`instr(type, '.') > 0 AND type <> 'content.changed' AND type <> 'mail.requested' AND EXISTS (
  SELECT 1 FROM subscriptions s WHERE s.organization = outbox.organization AND s.status IN ('active', 'leaving'))`);

const writtenRow = selection({ fed: maybe(given((id: OrganizationId) => id)) });

/** Of each event that was written the organization to whose feed a trigger added it. */
const fedTo = sql`RETURNING CASE WHEN ${isFed} THEN organization END AS fed`;

/** Writes events that are given as JSON. */
export const insertEvents = statement(
  (actor: SQL<string>, requestId: SQL<string>, depth: SQL<number>, now: SQL<number>, events: SQL<string>) =>
    writtenRow.query(sql`
    INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at, done_at, origin,
      depth)
    SELECT value->>'id', value->>'type', value->>'organization', value->>'space', ${actor}, ${requestId},
      value->>'data', ${now}, ${now}, value->>'doneAt', value->>'origin', ${depth}
    FROM json_each(${events})
    ${fedTo}`),
);

/** Writes the events that follow from rows, before these are written. */
export const insertEventsOfRows = (
  caller: Caller,
  now: number,
  { type, organization, rows }: EventsOfRows,
): Query<{ fed: OrganizationId | null }> =>
  writtenRow.query(sql`
    INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at, done_at, origin,
      depth)
    SELECT 'evt_' || lower(hex(randomblob(10))), ${type}, ${organization}, told.space, ${caller.actor},
      ${caller.requestId}, told.data, ${now}, ${now}, ${now}, ${originOf(caller, type) ?? null},
      ${caller.depth ?? 0}
    FROM (${rows}) told
    ${fedTo}`);
