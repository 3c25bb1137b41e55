import type { RecordOf } from '@octavo/db';
import {
  changeRequests,
  computed,
  createUserFields,
  fromJson,
  isActive,
  notifications,
  nullable,
  reviews,
  scanFields,
  selection,
  selectSpaceRank,
  spaces,
  users,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type { Notification, OrganizationId } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

const [n, s] = [aliasedTable(notifications, 'n'), aliasedTable(spaces, 's')];
const cr = aliasedTable(changeRequests, 'cr');
/** Maximum length of an excerpt, in characters. */
const maxExcerpt = 200;
/** Number of characters that are read. It exceeds `maxExcerpt`, because names can be shorter than ids. */
const maxRead = sql.raw('1000');
const body = sql`CASE WHEN n.reply IS NOT NULL THEN (SELECT substr(body, 1, ${maxRead}) FROM comment_replies WHERE id = n.reply)
  WHEN n.comment IS NOT NULL THEN (SELECT substr(body, 1, ${maxRead}) FROM comments WHERE id = n.comment) END`;
/** Reads the 24 characters after each `@` as the id of a mentioned user. */
const mentionedNames = sql`(SELECT json_group_object(mentioned.id, mentioned.display_name)
  FROM json_each('[' || replace(json_quote(${body}), '@', '","') || ']') part
  CROSS JOIN members ON members.organization = n.organization AND members.user = substr(part.value, 1, 24)
  CROSS JOIN users mentioned ON mentioned.id = members.user AND mentioned.display_name <> '')`;
/** The result of the review that caused the notification: the actor's latest review before the notification. */
const reviewStatus = sql`CASE n.kind WHEN 'reviewed' THEN (SELECT r.status FROM reviews r
  WHERE r.change_request = n.change_request AND r.reviewer = n.actor AND r.created_at <= n.created_at
  ORDER BY r.created_at DESC, r.id DESC LIMIT 1) END`;

/** A notification. Selects from `notifications n` with `notificationJoins`. */
export const notificationRow = selection({
  id: n.id,
  kind: n.kind,
  organization: n.organization,
  space: { id: s.id, title: s.title },
  changeRequest: nullable({ id: cr.id, number: cr.number, subject: cr.subject }),
  comment: n.comment,
  reply: n.reply,
  body: nullable(computed(String, body)),
  mentionedNames: computed(fromJson<Record<string, string>>(), mentionedNames),
  reviewStatus: nullable(computed(reviews.status, reviewStatus)),
  actor: createUserFields(aliasedTable(users, 'u')),
  createdAt: n.createdAt,
  readAt: n.readAt,
});

export type NotificationRecord = RecordOf<typeof notificationRow>;

export const listedNotificationRow = selection({ ...notificationRow.fields, ...scanFields });

export const notificationJoins = sql`LEFT JOIN spaces s ON s.id = n.space
  LEFT JOIN users u ON u.id = n.actor
  LEFT JOIN change_requests cr ON cr.id = n.change_request`;

/**
 * The SQL condition that the user of `notifications n` may still read its object with a token that is bound to this
 * organization, or to none.
 */
export const mayReadObject = (boundTo: SQL<OrganizationId | null>): SQL => sql`EXISTS (SELECT 1 FROM spaces s
    CROSS JOIN members m ON m.organization = s.organization AND m.user = n.user
    CROSS JOIN organizations o ON o.id = m.organization
    WHERE s.id = n.space AND s.deleted_at IS NULL AND ${selectSpaceRank({ user: sql`m.user`, role: sql`m.role`, active: isActive(boundTo) })} > 0)
  AND (n.change_request IS NULL OR EXISTS (SELECT 1 FROM change_requests WHERE id = n.change_request))
  AND (n.comment IS NULL OR EXISTS (SELECT 1 FROM comments WHERE id = n.comment))
  AND (n.reply IS NULL OR EXISTS (SELECT 1 FROM comment_replies WHERE id = n.reply))`;

/** Returns the path of the object of a notification, in the API and in the app. */
export function getObjectPath({ space, changeRequest, comment }: NotificationRecord): string {
  const branch = `/spaces/${space.id}${changeRequest === null ? '' : `/change-requests/${changeRequest.id}`}`;
  return comment === null ? branch : `${branch}/comments/${comment}`;
}

/** Returns the start of a text with names in place of the ids of mentioned users. */
export function createExcerpt(text: string, names: Readonly<Record<string, string>>): string {
  const named = text.replace(/@((?:usr|acc)_\w{20})/g, (mention, id: string) =>
    names[id] === undefined ? mention : `@${names[id]}`,
  );
  return [...named.toWellFormed()]
    .slice(0, maxExcerpt)
    .join('')
    .replace(/@(?:usr|acc)_\w{0,19}$/, '');
}

export function presentNotification(record: NotificationRecord, urls: Urls): Notification {
  const { id, kind, organization, space, changeRequest, comment, reply, actor, createdAt, readAt } = record;
  const { body: text, reviewStatus: status } = record;
  return {
    object: 'notification',
    id,
    kind,
    actor: presentUser(actor, urls, { email: false }),
    createdAt: formatTimestamp(createdAt),
    ...(readAt === null ? {} : { readAt: formatTimestamp(readAt) }),
    organization,
    space,
    ...(changeRequest === null ? {} : { changeRequest }),
    ...(comment === null ? {} : { comment }),
    ...(reply === null ? {} : { reply }),
    ...(text === null ? {} : { excerpt: createExcerpt(text, record.mentionedNames) }),
    ...(status === null ? {} : { reviewStatus: status }),
    urls: { app: urls.app(getObjectPath(record)) },
  };
}
