import { colleague, createAppUrl, ids, space, spacePath } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { addPathPrefix } from '../documentation.ts';

const kinds = {
  'review-requested': 'mail',
  reviewed: 'digest',
  commented: 'app',
  mentioned: 'mail',
  replied: 'app',
  merged: 'app',
  conflict: 'off',
} as const;

const kindTexts = {
  'review-requested': 'Another user asked the caller, or a team of the caller, for a review.',
  reviewed: 'Another user reviewed a change request of the caller.',
  commented: 'Another user commented on a change request that the caller created, edited or commented on.',
  mentioned: 'Another user mentioned the caller in a comment or reply.',
  replied: 'Another user replied to a comment that the caller wrote or replied to.',
  merged: 'Another user merged a change request that the caller created, edited or commented on.',
  conflict:
    'A merge or an update by another user found conflicts in a change request that the caller created, edited or ' +
    'commented on.',
};

export const notifications: ResourceDocumentation = {
  operations: {
    listNotifications: {
      description:
        'Lists the notifications of the caller, the newest first. Notifications about objects that the caller can no ' +
        'longer read are left out. They are deleted after 90 days. A token that is bound to an organization lists only ' +
        'those of the organization.',
      parameters: { unread: 'Lists only unread notifications, or only read ones.' },
    },
    readAllNotifications: {
      description:
        'Marks the newest 5,000 unread notifications of the caller as read. A token that is bound to an organization ' +
        'marks only those of the organization.',
    },
    updateNotification: {
      description:
        'Marks a notification of the caller as read or unread. Returns 404 for a notification of another organization ' +
        'than the one that the token is bound to.',
      body: { read: 'Whether the notification is read.' },
      example: { body: { read: true } },
    },
    getNotificationPreferences: {
      description: 'Returns how the caller is notified of each kind of event.',
    },
    updateNotificationPreferences: {
      description:
        'Changes how the caller is notified. Omitted kinds are unchanged. The preferences apply to all organizations of ' +
        'the caller. A token that is bound to an organization changes them too.',
      body: { kinds: 'The new deliveries.', ...addPathPrefix('kinds', kindTexts) },
      example: { body: { kinds: { reviewed: 'digest', conflict: 'off' } } },
    },
  },
  schemas: {
    Notification: {
      description: 'A notification of an action of another user. It describes the current state of its object.',
      properties: {
        kind: 'The kind of action.',
        actor: 'The user who acted.',
        createdAt: 'The time of the action.',
        readAt: 'The time at which the notification was marked as read. Absent while it is unread.',
        organization: 'The id of the organization.',
        space: 'The space that contains the object.',
        'space.id': 'The id of the space.',
        'space.title': 'The title of the space.',
        changeRequest: 'The change request. Absent for a comment on the live content.',
        'changeRequest.id': 'The id of the change request.',
        'changeRequest.number': 'The number of the change request in its space.',
        'changeRequest.subject': 'The subject of the change request.',
        comment: 'The id of the comment. Absent if the action is not about a comment.',
        reply: 'The id of the reply. Absent if the action was not a reply.',
        excerpt:
          'The first 200 characters of the comment or reply, as Markdown with the names of mentioned members. Absent if ' +
          'there is none.',
        reviewStatus: 'The result of the review. Absent unless the kind is `reviewed`.',
        'urls.app': 'The URL of the object in the app.',
      },
      example: {
        object: 'notification',
        id: ids.notification,
        kind: 'review-requested',
        actor: colleague,
        createdAt: '2026-03-02T13:10:00.000Z',
        organization: ids.organization,
        space: { id: ids.space, title: space.title },
        changeRequest: { id: ids.changeRequest, number: 14, subject: 'Describe the installer' },
        urls: { app: createAppUrl(`${spacePath}/change-requests/${ids.changeRequest}`) },
      },
    },
    NotificationKind: {
      description:
        'The kind of action: a request for a review, a review, a comment, a mention, a reply, a merge, or a merge or ' +
        'update that found conflicts.',
      example: 'review-requested',
    },
    NotificationDelivery: {
      description:
        'How a user is notified. `app`: in the list of notifications. `mail`: also by mail, within about a minute. ' +
        '`digest`: also by a daily mail. `off`: not at all.',
      example: 'mail',
    },
    NotificationPreferences: {
      description: 'How the caller is notified of each kind of event.',
      properties: { kinds: 'The delivery of each kind.', ...addPathPrefix('kinds', kindTexts) },
      example: { object: 'notification-preferences', kinds },
    },
  },
};
