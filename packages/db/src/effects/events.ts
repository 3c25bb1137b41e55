import type {
  Caller,
  ChangeRequestId,
  EventType,
  NewEvent,
  NotificationKind,
  OrganizationId,
  SpaceId,
} from '@octavo/schema';
import { AuditOrigin, auditedFields, createId, defaultDeliveries } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Statement } from '../query.ts';
import { prepareStatement } from '../query.ts';
import type { Query } from '../selection.ts';
import { fromQuery, nullable, rawQuery, selection, serializeStored } from '../selection.ts';
import { isListedUser } from '../statements/records.ts';

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

/** Maximum number of users who are notified of one event. */
const maxRecipients = sql.raw('500');
/** Maximum number of contributors of a change request who are notified. */
const maxContributors = sql.raw('100');

const day = 24 * 3_600_000;
/** The time of the day, in UTC, at which daily mails are sent. */
const digestTime = 6 * 3_600_000;

/** Returns the time of the next daily mails. */
const getNextDigest = (now: number): number => Math.floor((now - digestTime) / day + 1) * day + digestTime;

/** The object of a notification. */
interface Notice {
  organization: OrganizationId;
  space: SpaceId;
  changeRequest?: ChangeRequestId | undefined;
  comment?: string;
  reply?: string;
}

/**
 * Notifies users. `recipients` selects users with a kind of notification. If a user has several rows, the first one is
 * used. These users are not notified: the actor, users who have disabled this kind, and users who are not active
 * members.
 */
function notify({ actor }: Pick<Caller, 'actor'>, recipients: SQL, notice: Notice): Statement {
  const { organization, space, changeRequest = null, comment = null, reply = null } = notice;
  const now = Date.now();
  return rawQuery(sql`
    INSERT INTO notifications (user, id, kind, organization, space, change_request, comment, reply, actor, created_at, mail_at)
    SELECT r.user, ${createId('notification')}, r.kind, ${organization}, ${space}, ${changeRequest}, ${comment}, ${reply},
      ${actor}, ${now},
      CASE COALESCE(p.delivery, ${JSON.stringify(defaultDeliveries)}->>r.kind)
        WHEN 'mail' THEN ${now} WHEN 'digest' THEN ${getNextDigest(now)} END
    FROM (SELECT * FROM (${recipients}) LIMIT ${maxRecipients}) r
    CROSS JOIN members m ON m.organization = ${organization} AND m.user = r.user AND NOT m.disabled
    LEFT JOIN notification_preferences p ON p.user = r.user AND p.kind = r.kind
    WHERE r.user <> ${actor} AND ${isListedUser(sql`r.user`)} AND p.delivery IS NOT 'off'
    ON CONFLICT DO NOTHING`);
}

const selectUsers = (users: readonly string[], kind: NotificationKind): SQL =>
  sql`SELECT value AS user, ${kind} AS kind FROM json_each(${JSON.stringify(users)})`;

/** The creator of a change request and the users who edited it or commented on it. */
const selectParticipants = (id: ChangeRequestId, kind: NotificationKind): SQL => sql`
  SELECT created_by AS user, ${kind} AS kind FROM change_requests WHERE id = ${id}
  UNION ALL SELECT * FROM (SELECT user, ${kind} FROM contributors WHERE branch = ${id} LIMIT ${maxContributors})`;

type OfSpace = NewEvent & { organization: OrganizationId; space: SpaceId };

/**
 * Returns the users to notify about an event, and the object of the event. Returns undefined if no user is notified.
 */
function findRecipients(
  event: OfSpace,
  others: readonly CausedEvent[],
): { recipients: SQL; notice: Notice } | undefined {
  const { organization, space } = event;
  const owner = { organization, space };
  switch (event.type) {
    case 'change_request.reviewers_requested': {
      const { changeRequest, users, teams } = event.data;
      const ofTeams = sql`SELECT tm.user, 'review-requested' FROM json_each(${JSON.stringify(teams)}) t
        CROSS JOIN team_members tm ON tm.team = t.value AND tm.organization = ${organization}`;
      const recipients = sql`${selectUsers(users, 'review-requested')} UNION ALL ${ofTeams}`;
      return { recipients, notice: { ...owner, changeRequest } };
    }
    case 'change_request.reviewed': {
      const { changeRequest } = event.data;
      const recipients = sql`SELECT created_by AS user, 'reviewed' AS kind FROM change_requests WHERE id = ${changeRequest}`;
      return { recipients, notice: { ...owner, changeRequest } };
    }
    case 'change_request.merged': {
      const { changeRequest } = event.data;
      return { recipients: selectParticipants(changeRequest, 'merged'), notice: { ...owner, changeRequest } };
    }
    case 'comment.created': {
      const { comment, changeRequest, mentions } = event.data;
      const mentioned = selectUsers(mentions, 'mentioned');
      // The comment of a review is part of the notification of the review.
      const isOfReview = others.some(({ type }) => type === 'change_request.reviewed');
      const isDiscussed = changeRequest !== undefined && !isOfReview;
      const recipients = isDiscussed
        ? sql`${mentioned} UNION ALL SELECT * FROM (${selectParticipants(changeRequest, 'commented')})`
        : mentioned;
      return { recipients, notice: { ...owner, changeRequest, comment } };
    }
    case 'comment_reply.created': {
      const { comment, changeRequest, reply, mentions } = event.data;
      const recipients = sql`${selectUsers(mentions, 'mentioned')}
        UNION ALL SELECT author, 'replied' FROM comments WHERE id = ${comment}
        UNION ALL SELECT * FROM (SELECT DISTINCT author, 'replied' FROM comment_replies WHERE comment = ${comment})`;
      return { recipients, notice: { ...owner, changeRequest, comment, reply } };
    }
    case 'comment.updated':
    case 'comment_reply.updated': {
      const { data, addedMentions = [] } = event;
      return { recipients: selectUsers(addedMentions, 'mentioned'), notice: { ...owner, ...data } };
    }
    default:
      return undefined;
  }
}

/** Writes the notifications that events cause, after the changes that they report. */
export const notifyOfEvents = (caller: Caller, events: readonly CausedEvent[]): Statement[] =>
  events.flatMap((event) => {
    if (isEventsOfRows(event) || event.organization === undefined || event.space === undefined) return [];
    const found = findRecipients(event as OfSpace, events);
    return found === undefined ? [] : [notify(caller, found.recipients, found.notice)];
  });

/**
 * Notifies the participants of a change request that a merge or an update found conflicts, unless they have an unread
 * notification of it.
 */
export function notifyOfConflict(
  caller: Pick<Caller, 'actor'>,
  notice: Notice & { changeRequest: ChangeRequestId },
): Statement {
  const { changeRequest } = notice;
  return notify(
    caller,
    sql`SELECT * FROM (${selectParticipants(changeRequest, 'conflict')}) c WHERE NOT EXISTS (
      SELECT 1 FROM notifications n INDEXED BY notifications_unread
      WHERE n.user = c.user AND n.read_at IS NULL AND n.kind = 'conflict' AND n.change_request = ${changeRequest})`,
    notice,
  );
}
