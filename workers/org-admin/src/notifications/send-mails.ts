import type { Database, RecordOf } from '@octavo/db';
import { connect, fromQuery, notifications, readRows, runBatch, selection, users } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { createUrls, describeError, log } from '@octavo/runtime';
import type { NotificationKind, ReviewStatus, UserId } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { Mail, OrgAdminEnvironment } from '../environment.ts';
import { toPlainLine } from '../mail/invitation.ts';
import type { NotificationRecord } from './queries.ts';
import { getObjectPath, mayReadObject, notificationJoins, notificationRow } from './queries.ts';

/** Maximum number of notifications that one run of the cron sends. */
const maxNotifications = 500;
/** Maximum number of notifications that one mail lists. */
const maxListed = 20;
/** Minimum time between two mails to the same user. */
const intervalMilliseconds = 10 * 60_000;
/** A mail that failed is sent again after this time, while its notifications are not older than `maxAge`. */
const retryMilliseconds = 10 * 60_000;
const maxAge = 3 * 24 * 60 * 60_000;

const n = aliasedTable(notifications, 'n');
const claimedRow = selection({ user: fromQuery(notifications.user), id: fromQuery(notifications.id) });
const mailedRow = selection({
  user: n.user,
  to: aliasedTable(users, 'recipient').email,
  notification: notificationRow.fields,
});

/** Sends the notifications that are due by mail, at most one mail to each user. */
export async function sendNotificationMails(env: OrgAdminEnvironment): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const claimed = await claimNotifications(db, Date.now());
  if (claimed.length === 0) return;
  const rows = await readRows(db, selectMailed(JSON.stringify(claimed.map(({ user, id }) => [user, id]))));
  const failed = new Set<UserId>();
  const urls = createUrls(env);
  for (const [user, listed] of Map.groupBy(rows, (row) => row.user)) {
    const mail = writeNotificationMail(listed, urls);
    await env.MAIL.send({ from: env.OCTAVO_MAIL_FROM, ...mail }).catch((error: unknown) => {
      failed.add(user);
      log('error', 'mail with notifications not sent', { user, cause: describeError(error) });
    });
  }
  const isSettled = ({ user }: { user: UserId }) => !failed.has(user);
  await settleNotifications(db, claimed.filter(isSettled), new Set(rows.filter(isSettled).map(({ user }) => user)));
}

/** Takes the notifications that are due, so that no other run sends them at the same time. */
const claimNotifications = (db: Database, now: number) =>
  readRows(
    db,
    claimedRow.query(sql`UPDATE notifications
      SET mail_at = CASE WHEN created_at >= ${now - maxAge} THEN ${now + retryMilliseconds} END
      WHERE (user, id) IN (SELECT n.user, n.id FROM notifications n INDEXED BY notifications_to_mail
        WHERE n.mail_at <= ${now} AND NOT EXISTS (
          SELECT 1 FROM notification_mails l WHERE l.user = n.user AND l.sent_at > ${now - intervalMilliseconds})
        ORDER BY n.mail_at LIMIT ${maxNotifications})
      RETURNING user, id`),
  );

/** Selects the unread ones of these notifications whose object the user can still read, oldest first. */
const selectMailed = (keys: string) =>
  mailedRow.query(sql`SELECT ${mailedRow} FROM json_each(${keys}) k
    CROSS JOIN notifications n ON n.user = k.value->>0 AND n.id = k.value->>1
    CROSS JOIN users recipient ON recipient.id = n.user ${notificationJoins}
    WHERE n.read_at IS NULL AND ${mayReadObject(sql`m.organization`)} ORDER BY n.user, n.id`);

async function settleNotifications(
  db: Database,
  settled: RecordOf<typeof claimedRow>[],
  mailed: ReadonlySet<UserId>,
): Promise<void> {
  const keys = JSON.stringify(settled.map(({ user, id }) => [user, id]));
  await runBatch(db, [
    db.run(sql`UPDATE notifications SET mail_at = NULL
      WHERE (user, id) IN (SELECT value->>0, value->>1 FROM json_each(${keys}))`),
    db.run(sql`INSERT INTO notification_mails (user, sent_at)
      SELECT value, ${Date.now()} FROM json_each(${JSON.stringify([...mailed])}) WHERE true
      ON CONFLICT (user) DO UPDATE SET sent_at = excluded.sent_at`),
  ]);
}

/** Describes each kind of notification with the actor and the title of its object. */
const sentences: Record<NotificationKind, (actor: string, title: string) => string> = {
  'review-requested': (actor, title) => `${actor} asks you to review ${title}`,
  reviewed: (actor, title) => `${actor} reviewed ${title}`,
  commented: (actor, title) => `${actor} commented on ${title}`,
  mentioned: (actor, title) => `${actor} mentioned you in ${title}`,
  replied: (actor, title) => `${actor} replied to a comment on ${title}`,
  merged: (actor, title) => `${actor} merged ${title}`,
  conflict: (_, title) => `The live content conflicts with ${title}`,
};

const reviewSentences: Record<ReviewStatus, (actor: string, title: string) => string> = {
  approved: (actor, title) => `${actor} approved ${title}`,
  'changes-requested': (actor, title) => `${actor} requested changes to ${title}`,
};

function describe({ kind, actor, space, changeRequest, reviewStatus }: NotificationRecord): string {
  const describeAction = reviewStatus === null ? sentences[kind] : reviewSentences[reviewStatus];
  const name = changeRequest === null ? space.title : `#${changeRequest.number} ${changeRequest.subject}`;
  return describeAction(toPlainLine(actor.displayName) || 'Someone', `"${toPlainLine(name)}"`);
}

function writeNotificationMail(rows: RecordOf<typeof mailedRow>[], urls: Urls): Omit<Mail, 'from'> {
  const [first] = rows;
  if (first === undefined) throw new TypeError('The mail has no notifications.');
  const listed = rows
    .slice(0, maxListed)
    .map(({ notification }) => `${describe(notification)}.\n${urls.app(getObjectPath(notification))}`);
  const more = rows.length > maxListed ? [`There are ${rows.length - maxListed} more notifications.`] : [];
  return {
    to: first.to,
    subject: rows.length === 1 ? describe(first.notification) : `${rows.length} notifications from Octavo`,
    text: [
      ...listed,
      ...more,
      `Choose which mails you receive in the notification settings of your inbox:\n${urls.app('/inbox')}`,
    ].join('\n\n'),
  };
}
