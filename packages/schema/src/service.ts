import type { AuditOrigin } from './org-admin/audit-events.ts';

/** The database cost of an operation: round trips, and rows read and written. */
export interface Cost {
  trips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** The result of a service method: the value, its cost, and the bookmark after which its writes can be read. */
export interface Metered<Value> {
  value: Value;
  cost: Cost;
  bookmark: string | null;
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
