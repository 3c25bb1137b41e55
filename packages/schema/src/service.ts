import type { AuditOrigin } from './org-admin/audit-events.ts';

/** The database cost of an operation: round trips, and rows read and written. */
export interface Cost {
  trips: number;
  /** The number of round trips that run one after another. Round trips that run in parallel count as one. */
  sequentialTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

export const createCost = (): Cost => ({ trips: 0, sequentialTrips: 0, rowsRead: 0, rowsWritten: 0 });

/**
 * Starts a round trip, or a call that makes round trips. Call the returned function when it ends, to add its cost to
 * the total.
 */
export function startCall(total: Cost): (spent: Cost) => void {
  const before = total.sequentialTrips;
  return (spent) => {
    total.trips += spent.trips;
    total.sequentialTrips = Math.max(total.sequentialTrips, before + spent.sequentialTrips);
    total.rowsRead += spent.rowsRead;
    total.rowsWritten += spent.rowsWritten;
  };
}

/** The bookmark of the newest state of the database that a request has seen, or null if it has seen none. */
export type Bookmark = string | null;

/** The result of a service method: the value, its cost, and the bookmark after which its writes can be read. */
export interface Metered<Value> {
  value: Value;
  cost: Cost;
  bookmark: Bookmark;
  /** The build of the worker that ran the method; null if the caller ran the method itself. */
  build?: string | null | undefined;
}

/** The user who requested the work, and the request id for logs. */
export interface Caller {
  actor: string;
  requestId: string;
  /** The Idempotency-Key that the request has claimed. The batch of its writes also marks the key as committed. */
  key?: string;
  /** The origin of the request for the audit log. */
  origin?: AuditOrigin;
  /**
   * The number of script runs that led to the request: each run was triggered by an event of the previous run. The
   * default is 0.
   */
  depth?: number;
}
