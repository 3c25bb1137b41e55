import type { Database, RecordOf } from '@octavo/db';
import { connect, fromQuery, hasQueries, notifications, readRows, runBatch, selection, users } from '@octavo/db';
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
/** A run starts no mail after this time. It is shorter than `retryMilliseconds`, because a mail can take a minute. */
const sendingMilliseconds = 5 * 60_000;
/** Number of mails after which their notifications are settled. */
const mailsPerGroup = 20;
/** Number of queries that store the outcome of a group. */
const queriesPerGroup = 3;
/** Minimum and maximum time after which a failed mail is sent again, until its notifications are `maxAge` old. */
const retryMilliseconds = 10 * 60_000;
const maxRetryMilliseconds = 4 * 60 * 60_000;
const maxAge = 3 * 24 * 60 * 60_000;

const n = aliasedTable(notifications, 'n');
const claimedRow = selection({ user: fromQuery(notifications.user), id: fromQuery(notifications.id) });
type ClaimedNotification = RecordOf<typeof claimedRow>;
const mailedRow = selection({
  user: n.user,
  to: aliasedTable(users, 'recipient').email,
  notification: notificationRow.fields,
});

/**
 * Sends the notifications that are due by mail, at most one mail to each user. Notifications are settled after every few
 * mails, so that only these are sent again if the run ends early.
 */
export async function sendNotificationMails(env: OrgAdminEnvironment): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const now = Date.now();
  const claimed = await claimNotifications(db, now);
  if (claimed.length === 0) return;
  const rows = await readRows(db, selectMailed(toKeys(claimed)));
  const mayContinue = () => Date.now() < now + sendingMilliseconds && hasQueries(env, 2 * queriesPerGroup);
  const listedByUser = Map.groupBy(rows, ({ user }) => user);
  let outcome = createOutcome();
  for (const [user, keys] of Map.groupBy(claimed, (key) => key.user)) {
    const listed = listedByUser.get(user);
    if (!mayContinue()) outcome.unsent.push(...keys);
    else if (listed === undefined) outcome.settled.push(...keys);
    else if (await sendNotificationMail(env, user, listed)) {
      outcome.settled.push(...keys);
      outcome.mailed.push(user);
    }
    if (outcome.mailed.length === mailsPerGroup) {
      await storeOutcome(db, outcome);
      outcome = createOutcome();
    }
  }
  await storeOutcome(db, outcome);
}

/** Sends a mail with notifications to a user. Returns whether it was sent. */
async function sendNotificationMail(
  env: OrgAdminEnvironment,
  user: UserId,
  listed: RecordOf<typeof mailedRow>[],
): Promise<boolean> {
  try {
    await env.MAIL.send({ from: env.OCTAVO_MAIL_FROM, ...writeNotificationMail(listed, createUrls(env)) });
    return true;
  } catch (error) {
    log('error', 'mail with notifications not sent', { user, cause: describeError(error) });
    return false;
  }
}

/**
 * Takes the notifications that are due, so that no other run sends them at the same time. If their mail fails, they are
 * due again after `retryMilliseconds`, or after their age if they are older, so that retries become less frequent.
 */
const claimNotifications = (db: Database, now: number) =>
  readRows(
    db,
    claimedRow.query(sql`UPDATE notifications
      SET mail_at = CASE WHEN created_at >= ${now - maxAge}
        THEN ${now} + MAX(${retryMilliseconds}, MIN(${now} - created_at, ${maxRetryMilliseconds})) END
      WHERE (user, id) IN (SELECT n.user, n.id FROM notifications n INDEXED BY notifications_to_mail
        WHERE n.mail_at <= ${now} AND NOT EXISTS (
          SELECT 1 FROM notification_mails l WHERE l.user = n.user AND l.sent_at > ${now - intervalMilliseconds})
        ORDER BY n.mail_at LIMIT ${maxNotifications})
      RETURNING user, id`),
  );

/** Selects the unread ones of these notifications whose user is a person who can still read the object, oldest first. */
const selectMailed = (keys: string) =>
  mailedRow.query(sql`SELECT ${mailedRow} FROM json_each(${keys}) k
    CROSS JOIN notifications n ON n.user = k.value->>0 AND n.id = k.value->>1
    CROSS JOIN users recipient ON recipient.id = n.user AND recipient.kind = 'person' ${notificationJoins}
    WHERE n.read_at IS NULL AND ${mayReadObject(sql`m.organization`)} ORDER BY n.user, n.id`);

/** The notifications and users of some mails whose outcome is not stored yet. */
interface Outcome {
  /** Notifications that need no mail any more. */
  settled: ClaimedNotification[];
  /** Notifications whose mail was not started. The next run sends it. */
  unsent: ClaimedNotification[];
  /** The users who got a mail. */
  mailed: UserId[];
}

const createOutcome = (): Outcome => ({ settled: [], unsent: [], mailed: [] });

const toKeys = (claimed: ClaimedNotification[]): string => JSON.stringify(claimed.map(({ user, id }) => [user, id]));

async function storeOutcome(db: Database, { settled, unsent, mailed }: Outcome): Promise<void> {
  const now = Date.now();
  const setMailTime = (claimed: ClaimedNotification[], time: number | null) =>
    db.run(sql`UPDATE notifications SET mail_at = ${time}
      WHERE (user, id) IN (SELECT value->>0, value->>1 FROM json_each(${toKeys(claimed)}))`);
  await runBatch(db, [
    setMailTime(settled, null),
    setMailTime(unsent, now),
    db.run(sql`INSERT INTO notification_mails (user, sent_at)
      SELECT value, ${now} FROM json_each(${JSON.stringify(mailed)}) WHERE true
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
