import type { UserId } from '@octavo/schema';
import { ApiError } from '@octavo/schema';

const maxConnections = 500;
const maxConnectionsOfUser = 20;
/**
 * Clients send a ping more often than this. A connection without a ping for this time has probably ended without a
 * message, and does not count.
 */
export const silentMilliseconds = 150_000;

interface CountedConnection {
  user: UserId;
  opened: number;
  /** The time of the last ping, or else the time at which the connection was opened. */
  heard: number;
}

/**
 * Returns the connections to a space that have to end before a user opens another one: silent ones, and the user's
 * oldest. @throws ApiError rate_limited
 */
export function chooseEnding<Each extends CountedConnection>(
  connections: Each[],
  user: UserId,
): { silent: Each[]; replaced: Each[] } {
  const since = Date.now() - silentMilliseconds;
  const silent = connections.filter(({ heard }) => heard < since);
  const open = connections.filter(({ heard }) => heard >= since);
  const own = open.filter((each) => each.user === user).sort((one, other) => one.opened - other.opened);
  const replaced = own.slice(0, Math.max(0, own.length + 1 - maxConnectionsOfUser));
  if (open.length - replaced.length < maxConnections) return { silent, replaced };
  const error = new ApiError('rate_limited', `The space has ${maxConnections} live connections. Try again later.`);
  error.retryAfter = 60;
  throw error;
}
