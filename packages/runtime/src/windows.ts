import { ratePeriodSeconds } from '@octavo/schema';

const periodMilliseconds = ratePeriodSeconds * 1000;

/** The requests of a key in its current window, and the end of the window in milliseconds. */
export interface Count {
  limit: number;
  count: number;
  ends: number;
}

/**
 * Whether a window is open. If its end is at least two periods away, the clock was set back, and the window is closed.
 * The limit is not one period, because the clocks of requests can differ slightly.
 */
const isOpen = (ends: number, now: number): boolean => ends > now && ends < now + 2 * periodMilliseconds;

export const isOverLimit = ({ limit, count }: Count): boolean => count > limit;

/**
 * Counts by key, in windows of a minute that start with a key's first request. All windows have the same length, so the
 * oldest windows come first. A new key evicts expired windows, and also the oldest window if there are more than
 * `maxKeys`.
 */
export class RequestWindows {
  readonly #windows = new Map<string, { count: number; ends: number }>();
  readonly #maxKeys: number;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Counts a request. */
  countRequest(key: string, limit: number, now: number): Count {
    const window = this.#open(key, now);
    window.count += 1;
    return { limit, ...window };
  }

  /** Subtracts a request that was counted, if its window still exists. */
  uncountRequest(key: string, { ends }: Pick<Count, 'ends'>): void {
    const window = this.#windows.get(key);
    if (window?.ends === ends) window.count -= 1;
  }

  /** Returns the count of a key without counting. */
  peek(key: string, limit: number, now: number): Count {
    const window = this.#windows.get(key);
    return window === undefined || !isOpen(window.ends, now)
      ? { limit, count: 0, ends: now + periodMilliseconds }
      : { limit, ...window };
  }

  /** Uses up the window of a key, because another counter has reached the limit. */
  exhaust(key: string, limit: number, now: number): Count {
    const window = this.#open(key, now);
    window.count = Math.max(window.count, limit + 1);
    return { limit, ...window };
  }

  #open(key: string, now: number): { count: number; ends: number } {
    const knownWindow = this.#windows.get(key);
    if (knownWindow !== undefined && isOpen(knownWindow.ends, now)) return knownWindow;
    this.#windows.delete(key);
    for (const [oldest, { ends }] of this.#windows) {
      if (isOpen(ends, now) && this.#windows.size < this.#maxKeys) break;
      this.#windows.delete(oldest);
    }
    const window = { count: 0, ends: now + periodMilliseconds };
    this.#windows.set(key, window);
    return window;
  }
}
