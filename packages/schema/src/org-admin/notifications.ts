import * as z from 'zod';
import { ReviewStatus } from '../collaboration/reviews.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list } from '../list.ts';
import { queryFilter } from '../query.ts';
import { Timestamp } from '../time.ts';
import { User } from '../user.ts';

export const NotificationKind = z
  .enum(['review-requested', 'reviewed', 'commented', 'mentioned', 'replied', 'merged', 'conflict'])
  .meta({ id: 'NotificationKind' });
export type NotificationKind = z.infer<typeof NotificationKind>;

/** The channel of a notification. `mail` and `digest` are in addition to the app. */
export const NotificationDelivery = z.enum(['app', 'mail', 'digest', 'off']).meta({ id: 'NotificationDelivery' });
export type NotificationDelivery = z.infer<typeof NotificationDelivery>;

export const defaultDeliveries: Record<NotificationKind, NotificationDelivery> = {
  'review-requested': 'mail',
  reviewed: 'app',
  commented: 'app',
  mentioned: 'mail',
  replied: 'app',
  merged: 'app',
  conflict: 'app',
};

export const Notification = z
  .object({
    object: z.literal('notification'),
    id: z.string(),
    kind: NotificationKind,
    actor: User,
    createdAt: Timestamp,
    readAt: Timestamp.optional(),
    organization: z.string(),
    space: z.object({ id: z.string(), title: z.string() }),
    changeRequest: z.object({ id: z.string(), number: z.number().int(), subject: z.string() }).optional(),
    comment: z.string().optional(),
    reply: z.string().optional(),
    excerpt: z.string().optional(),
    reviewStatus: ReviewStatus.optional(),
    urls: z.object({ app: z.string() }),
  })
  .meta({ id: 'Notification' });
export type Notification = z.infer<typeof Notification>;

const deliveries = {
  'review-requested': NotificationDelivery,
  reviewed: NotificationDelivery,
  commented: NotificationDelivery,
  mentioned: NotificationDelivery,
  replied: NotificationDelivery,
  merged: NotificationDelivery,
  conflict: NotificationDelivery,
} satisfies Record<NotificationKind, typeof NotificationDelivery>;

export const NotificationPreferences = z
  .object({ object: z.literal('notification-preferences'), kinds: z.object(deliveries) })
  .meta({ id: 'NotificationPreferences' });
export type NotificationPreferences = z.infer<typeof NotificationPreferences>;

/** Extensions of the GitBook API. */
export const notificationEndpoints = contract({
  listNotifications: {
    method: 'GET',
    path: '/v1/user/notifications',
    summary: 'List the notifications of the caller',
    access: 'user',
    scope: 'unscoped',
    query: FilteredPageQuery.extend({ unread: queryFilter }),
    response: list(Notification),
    success: 200,
    hidesCost: 'from-all',
  },
  readAllNotifications: {
    method: 'POST',
    path: '/v1/user/notifications/read',
    summary: 'Mark all notifications of the caller as read',
    access: 'user',
    scope: 'unscoped',
    success: 204,
  },
  updateNotification: {
    method: 'PATCH',
    path: '/v1/user/notifications/:notificationId',
    summary: 'Mark a notification as read or unread',
    access: 'user',
    scope: 'unscoped',
    params: z.object({ notificationId: Id }),
    body: z.object({ read: z.boolean() }),
    success: 204,
  },
  getNotificationPreferences: {
    method: 'GET',
    path: '/v1/user/notification-preferences',
    summary: 'Get how the caller is notified',
    access: 'user',
    scope: 'unscoped',
    response: NotificationPreferences,
    success: 200,
  },
  updateNotificationPreferences: {
    method: 'PATCH',
    path: '/v1/user/notification-preferences',
    summary: 'Change how the caller is notified',
    access: 'user',
    scope: 'unscoped',
    body: z.object({ kinds: z.object(deliveries).partial() }),
    response: NotificationPreferences,
    success: 200,
  },
});
