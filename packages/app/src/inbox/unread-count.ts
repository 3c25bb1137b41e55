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
export const maxCounted = 20;

/** Time in milliseconds after which the number is read again when the user opens another screen. */
const maxAge = 60_000;
let lastRead = 0;

/**
 * Returns the number of unread notifications. It is read again when a notification was read or an event arrived, when
 * the user returns to the app, and after a minute with the next screen.
 */
export function useUnreadCount(path: string): number {
  const { value = 0, reload } = useLoaded('unread count', async (options) => {
    lastRead = Date.now();
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
  useEffect(() => {
    if (Date.now() - lastRead > maxAge) void reload();
  }, [path, reload]);
  return value;
}
