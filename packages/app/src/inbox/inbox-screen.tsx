import type { Notification, NotificationKind, ReviewStatus } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { getUserName } from '../comments/names.ts';
import type { ScreenProps } from '../routes.ts';
import { AppScreen } from '../shell/screen.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { FilterSelect } from '../ui/filter-select.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { notifyError } from '../ui/notice.tsx';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { type LoadedList, useGrowingList } from '../use-api.ts';
import { SettingsDialog } from './settings-dialog.tsx';
import { announceInbox } from './unread-count.ts';

const actions: Record<NotificationKind, string> = {
  'review-requested': 'asked you for a review of',
  reviewed: 'reviewed',
  commented: 'commented on',
  mentioned: 'mentioned you in',
  replied: 'replied to you in',
  merged: 'merged',
  conflict: 'found conflicts in',
};

const reviewActions: Record<ReviewStatus, string> = {
  approved: 'approved',
  'changes-requested': 'requested changes to',
};

const getAction = ({ kind, reviewStatus }: Notification): string =>
  reviewStatus === undefined ? actions[kind] : reviewActions[reviewStatus];

const kindLabels: [NotificationKind | 'all', string][] = [
  ['all', 'All kinds'],
  ['review-requested', 'Review requests'],
  ['reviewed', 'Reviews'],
  ['commented', 'Comments'],
  ['mentioned', 'Mentions'],
  ['replied', 'Replies'],
  ['merged', 'Merges'],
  ['conflict', 'Conflicts'],
];

/** Number of notifications that are shown at first, and that each "Show more" adds. */
const pageSize = 50;

/** The notifications of the user. */
export function InboxScreen({ query }: ScreenProps): VNode {
  const isUnreadOnly = query.get('show') !== 'all';
  const kind = query.get('kind') ?? 'all';
  const [isChoosing, setChoosing] = useState(false);
  const loaded = useGrowingList<Notification>('/user/notifications', isUnreadOnly ? { unread: true } : {}, pageSize);
  const reload = async (): Promise<void> => {
    await loaded.reload();
    announceInbox();
  };
  const readAll = (): void => {
    api('POST', '/user/notifications/read').then(reload, notifyError);
  };
  return (
    <AppScreen
      title="Inbox"
      actions={
        <>
          <button type="button" class="button" onClick={readAll}>
            Mark all as read
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label="Notification settings"
            onClick={() => setChoosing(true)}
          >
            <UiIcon name="settings" />
          </button>
        </>
      }
    >
      <InboxFilters isUnreadOnly={isUnreadOnly} kind={kind} />
      <NotificationList loaded={loaded} isUnreadOnly={isUnreadOnly} kind={kind} reload={reload} />
      {isChoosing && <SettingsDialog onClose={() => setChoosing(false)} />}
    </AppScreen>
  );
}

interface NotificationListProps {
  loaded: LoadedList<Notification>;
  isUnreadOnly: boolean;
  kind: string;
  reload: () => Promise<void>;
}

const NotificationList = (props: NotificationListProps): VNode => {
  const { loaded, isUnreadOnly, kind, reload } = props;
  return (
    <LoadedContent loaded={loaded}>
      {(all) => {
        const shown = all.filter((each) => kind === 'all' || each.kind === kind);
        return shown.length === 0 ? (
          <EmptyState icon="inbox" title={isUnreadOnly ? 'Nothing new' : 'No notifications'}>
            <p>Reviews, comments and merges that concern you appear here.</p>
          </EmptyState>
        ) : (
          <ul class="rows">
            {shown.map((each) => (
              <NotificationRow key={each.id} notification={each} reload={reload} />
            ))}
          </ul>
        );
      }}
    </LoadedContent>
  );
};

function InboxFilters({ isUnreadOnly, kind }: { isUnreadOnly: boolean; kind: string }): VNode {
  const createAddress = (changes: Record<string, string>): string =>
    `/inbox?${new URLSearchParams({ show: isUnreadOnly ? 'unread' : 'all', kind, ...changes })}`;
  return (
    <div class="list-filters">
      <nav class="view-tabs" aria-label="Notifications">
        {(['unread', 'all'] as const).map((show) => (
          <a
            key={show}
            href={`/app${createAddress({ show })}`}
            aria-current={isUnreadOnly === (show === 'unread') ? 'page' : undefined}
          >
            {show === 'unread' ? 'Unread' : 'All'}
          </a>
        ))}
      </nav>
      <FilterSelect
        label="Kind"
        value={kind}
        options={kindLabels}
        createAddress={(value) => createAddress({ kind: value })}
      />
    </div>
  );
}

const getObjectTitle = ({ changeRequest, space }: Notification): string => {
  if (changeRequest === undefined) return space.title || 'a space';
  return changeRequest.subject || `change request #${changeRequest.number}`;
};

interface NotificationRowProps {
  notification: Notification;
  reload: () => Promise<void>;
}

function NotificationRow({ notification, reload }: NotificationRowProps): VNode {
  const { id, actor, createdAt, readAt, excerpt, space, urls } = notification;
  const mark = async (read: boolean): Promise<void> => {
    await api('PATCH', `/user/notifications/${id}`, { body: { read } });
  };
  const isUnread = readAt === undefined;
  const { pathname, search, hash } = new URL(urls.app);
  return (
    <li class={isUnread ? 'notification unread' : 'notification'}>
      <a
        class="row"
        href={`${pathname}${search}${hash}`}
        onClick={() => {
          if (isUnread) mark(true).then(announceInbox, notifyError);
        }}
      >
        <Avatar name={getUserName(actor)} photo={actor.photoURL} />
        <span class="grow">
          {isUnread && <span class="hidden">Unread: </span>}
          <span class="strong">{getUserName(actor)}</span> {getAction(notification)}{' '}
          <span class="strong">{getObjectTitle(notification)}</span>
          <small>{excerpt ?? space.title}</small>
        </span>
        <small>
          <RelativeTime time={createdAt} />
        </small>
      </a>
      <button
        type="button"
        class="icon-button"
        aria-label={isUnread ? 'Mark as read' : 'Mark as unread'}
        title={isUnread ? 'Mark as read' : 'Mark as unread'}
        onClick={() => mark(isUnread).then(reload, notifyError)}
      >
        <UiIcon name={isUnread ? 'check' : 'inbox'} />
      </button>
    </li>
  );
}
