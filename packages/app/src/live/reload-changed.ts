import type { LiveEvent } from '@octavo/schema';
import { announceInbox } from '../inbox/unread-count.ts';
import { reloadWhere } from '../use-api.ts';
import { isChanged, isOwnRevision } from './changed-values.ts';
import { choosePause } from './reload-pause.ts';

/** Collects events, and then reloads the shown values that they can affect. */
export function collectChanges(space: string) {
  const waiting: (LiveEvent | undefined)[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const reload = (): void => {
    timer = undefined;
    last = Date.now();
    const events = waiting.splice(0).filter((event) => !isOwnRevision(event));
    if (events.length === 0) return;
    void reloadWhere((path) => events.some((event) => isChanged(space, path, event)));
    if (events.some((event) => event === undefined || /^(?:comment|change_request)/.test(event.type))) announceInbox();
  };
  return {
    add(event: LiveEvent | undefined): void {
      waiting.push(event);
      timer ??= setTimeout(reload, choosePause(last));
    },
    stop: (): void => clearTimeout(timer),
  };
}
