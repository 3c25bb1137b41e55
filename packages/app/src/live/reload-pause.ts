/** In milliseconds: events are collected for at least `firstPause`, and reloads are at least `nextPause` apart. */
const firstPause = 300;
const nextPause = 3000;
/** The pause is longer by up to this time, so that the clients of a space do not all read at the same moment. */
const maxSpread = 1000;

/** Returns the time to wait before the next reload, if the last one was at `lastReload`. */
export const choosePause = (lastReload: number): number =>
  Math.max(firstPause, lastReload + nextPause - Date.now()) + Math.random() * maxSpread;
