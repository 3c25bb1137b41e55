const firstMilliseconds = 2000;
const maxMilliseconds = 60 * 60_000;
const triedForMilliseconds = 24 * 60 * 60_000;
const firstHoldMilliseconds = 5000;

/** Attempts that fail one after the other until nothing more is sent for a while. */
export const failuresUntilHeld = 3;

/** A fifth more or less, so that what failed together does not come again together. */
function jittered(milliseconds: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return Math.round(milliseconds * (0.8 + (0.4 * random) / 2 ** 32));
}

const within = (milliseconds: number, least: number): number =>
  Math.min(Math.max(milliseconds, least), maxMilliseconds);

/** How long a delivery waits that has failed so often: from seconds to an hour, and as the receiver asks for. */
export const delayAfter = (attempts: number, retryAfter = 0): number =>
  within(jittered(Math.min(firstMilliseconds * 2 ** (attempts - 1), maxMilliseconds)), retryAfter);

/** How long nothing is sent to a receiver that has failed for so long: the longer, the longer. */
export const holdAfter = (failingFor: number, retryAfter = 0): number =>
  within(jittered(Math.min(Math.max(firstHoldMilliseconds, failingFor / 2), maxMilliseconds)), retryAfter);

/** Until when a delivery is tried that fails now for the first time. */
export const triedUntil = (now: number): number => now + triedForMilliseconds;

/** The header `Retry-After`, in milliseconds from now, within an hour; 0 where it says nothing. */
export function retryAfterOf(header: string | null, now: number): number {
  if (header === null) return 0;
  const wanted = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 0), maxMilliseconds) : 0;
}
