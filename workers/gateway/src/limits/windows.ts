import { ratePeriodSeconds } from '@octavo/schema';

const periodMilliseconds = ratePeriodSeconds * 1000;

/** Where a key stands: how many its window had, and when that ends, in milliseconds. */
export interface Count {
  limit: number;
  count: number;
  ends: number;
}

/** A clock that was set back must not make a window last; that of a request may stand a little behind another's. */
const isOpen = (ends: number, now: number): boolean => ends > now && ends < now + 2 * periodMilliseconds;

export const isOver = ({ limit, count }: Count): boolean => count > limit;

/**
 * Counts by key, in windows of a minute that begin with a key's first request. As all last equally long, the oldest stand
 * first: those that are over go when others come, and beyond `maxKeys` so does the oldest that is not.
 */
export class Windows {
  readonly #windows = new Map<string, { count: number; ends: number }>();
  readonly #maxKeys: number;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Counts one more. */
  take(key: string, limit: number, now: number): Count {
    const window = this.#open(key, now);
    window.count += 1;
    return { limit, ...window };
  }

  /** Where a key stands, with nothing counted. */
  look(key: string, limit: number, now: number): Count {
    const window = this.#windows.get(key);
    return window === undefined || !isOpen(window.ends, now)
      ? { limit, count: 0, ends: now + periodMilliseconds }
      : { limit, ...window };
  }

  /** Uses up what the window of a key has left: somebody else knows of more. */
  exhaust(key: string, limit: number, now: number): Count {
    const window = this.#open(key, now);
    window.count = Math.max(window.count, limit + 1);
    return { limit, ...window };
  }

  #open(key: string, now: number): { count: number; ends: number } {
    const known = this.#windows.get(key);
    if (known !== undefined && isOpen(known.ends, now)) return known;
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
