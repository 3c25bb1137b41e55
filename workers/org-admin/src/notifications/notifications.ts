import type { RecordOf } from '@octavo/db';
import {
  commitChecked,
  decodeCursor,
  maxRowsScanned,
  notificationPreferences,
  notifications,
  paginateMatches,
  readRows,
  scanRows,
  selection,
} from '@octavo/db';
import type { NotificationPreferences, OrganizationId, UserId } from '@octavo/schema';
import { defaultDeliveries, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { listedNotificationRow, mayReadObject, notificationJoins, presentNotification } from './queries.ts';

/** Lists notifications about objects that the caller can still read, the newest first. One round trip. */
export const listNotifications = handler('listNotifications', async ({ query }, { db, actor, urls }) => {
  const { unread, limit } = query;
  const [before] = decodeCursor(query.page, ['string']) ?? [];
  const index = unread === true ? sql`INDEXED BY notifications_unread` : sql``;
  // The index contains only unread notifications. Others are filtered by `matches`, which reads a limited number.
  const isUnread = unread === true ? sql`n.read_at IS NULL` : sql`1`;
  const isRead = unread === false ? sql`n.read_at IS NOT NULL` : sql`1`;
  const keys = scanRows({
    columns: sql`n.id AS listed`,
    from: sql`FROM notifications n ${index} WHERE n.user = ${actor.id}
      AND ${before === undefined ? sql`1` : sql`n.id < ${before}`} AND ${isUnread}`,
    order: sql`n.id DESC`,
    matches: sql`EXISTS (SELECT 1 FROM notifications n WHERE n.user = ${actor.id} AND n.id = listed
      AND ${isRead} AND ${mayReadObject(sql`${actor.organization}`)})`,
    limit,
  });
  const rows = await readRows(
    db,
    listedNotificationRow.query(sql`SELECT k.matches, k.place, ${listedNotificationRow}
      FROM (${keys}) k CROSS JOIN notifications n ON n.user = ${actor.id} AND n.id = k.listed ${notificationJoins}
      ORDER BY n.id DESC`),
  );
  return paginateMatches(rows, limit, {
    item: (record) => presentNotification(record, urls),
    getCursor: ({ id }) => [id],
  });
});

/** The SQL condition that a token that is bound to this organization, or to none, may change a notification. */
const isOfBoundOrganization = (boundTo: OrganizationId | null): SQL =>
  sql`(${boundTo} IS NULL OR organization = ${boundTo})`;

/** Marks the newest unread notifications as read. Writes no event: it would flood the audit log. */
export const readAllNotifications = handler('readAllNotifications', async (_, { actor, db, commit }) => {
  await commit(
    [
      db.run(sql`UPDATE notifications SET read_at = ${Date.now()} WHERE (user, id) IN (
        SELECT user, id FROM notifications INDEXED BY notifications_unread
        WHERE user = ${actor.id} AND read_at IS NULL AND ${isOfBoundOrganization(actor.organization)} ORDER BY id DESC LIMIT ${maxRowsScanned})`),
    ],
    [],
  );
  return undefined;
});

export const updateNotification = handler('updateNotification', async ({ params, body }, { actor, db, commit }) => {
  const isNotification = sql`user = ${actor.id} AND id = ${params.notificationId} AND ${isOfBoundOrganization(actor.organization)}`;
  const exists = {
    condition: sql`EXISTS (SELECT 1 FROM notifications WHERE ${isNotification})`,
    createError: () => notFound('notification'),
  };
  const readAt = body.read ? sql`COALESCE(${notifications.readAt}, ${Date.now()})` : null;
  await commitChecked(db, [exists], (guards) =>
    commit([...guards, db.update(notifications).set({ readAt }).where(isNotification)], []),
  );
  return undefined;
});

const p = aliasedTable(notificationPreferences, 'p');
const preferenceRow = selection({ kind: p.kind, delivery: p.delivery });
const selectPreferences = (user: UserId) =>
  preferenceRow.query(sql`SELECT ${preferenceRow} FROM notification_preferences p WHERE p.user = ${user}`);

const toPreferences = (rows: RecordOf<typeof preferenceRow>[]): NotificationPreferences => ({
  object: 'notification-preferences',
  kinds: { ...defaultDeliveries, ...Object.fromEntries(rows.map(({ kind, delivery }) => [kind, delivery])) },
});

export const getNotificationPreferences = handler('getNotificationPreferences', async (_, { db, actor }) =>
  toPreferences(await readRows(db, selectPreferences(actor.id))),
);

/** The preferences belong to the user, so tokens that are bound to an organization can change them too. */
export const updateNotificationPreferences = handler(
  'updateNotificationPreferences',
  async ({ body: { kinds } }, { db, actor, commit }) => {
    const { stored } = await commit(
      {
        written: db.run(sql`INSERT INTO notification_preferences (user, kind, delivery)
          SELECT ${actor.id}, key, value FROM json_each(${JSON.stringify(kinds)}) WHERE true
          ON CONFLICT (user, kind) DO UPDATE SET delivery = excluded.delivery`),
        stored: selectPreferences(actor.id),
      },
      [],
    );
    return toPreferences(stored);
  },
);
