import type { List, Notification } from '@octavo/schema';
import { useEffect } from 'preact/hooks';
import { get } from '../api.ts';
import { useLoaded } from '../use-api.ts';

const changed = new EventTarget();

/** Notifies the navigation that notifications were read. */
export const announceInbox = (): void => {
  changed.dispatchEvent(new Event('change'));
};

/** Unread notifications beyond this number are not counted. */
export const maxCounted = 100;

/** Returns the number of unread notifications. It is read again when the user returns to the app. */
export function useUnreadCount(path: string): number {
  const { value = 0, reload } = useLoaded('unread count', async (options) => {
    const { items } = await get<List<Notification>>(
      '/user/notifications',
      { unread: true, limit: maxCounted },
      options,
    );
    return items.length;
  });
  useEffect(() => {
    const handle = (): void => {
      if (document.visibilityState === 'visible') void reload();
    };
    changed.addEventListener('change', handle);
    document.addEventListener('visibilitychange', handle);
    return () => {
      changed.removeEventListener('change', handle);
      document.removeEventListener('visibilitychange', handle);
    };
  }, [reload]);
  useEffect(() => void reload(), [path, reload]);
  return value;
}
