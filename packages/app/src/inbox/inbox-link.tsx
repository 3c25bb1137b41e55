import type { VNode } from 'preact';
import { useAppLocation } from '../router.ts';
import { UiIcon } from '../ui/icon.tsx';
import { maxCounted, useUnreadCount } from './unread-count.ts';

/** The link to the inbox, with the number of unread notifications. */
export function InboxLink(): VNode {
  const { path } = useAppLocation();
  const count = useUnreadCount(path);
  return (
    <a class="sidebar-link" href="/app/inbox" aria-current={path === '/inbox' ? 'page' : undefined}>
      <UiIcon name="inbox" />
      <span class="grow">Inbox</span>
      {count > 0 && (
        <span class="count">
          {count < maxCounted ? count : `${count}+`}
          <span class="hidden"> unread</span>
        </span>
      )}
    </a>
  );
}
