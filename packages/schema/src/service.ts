import type { AuditOrigin } from './org-admin/audit-events.ts';

/** What a piece of work cost at the database: calls to it, and rows that they read and wrote. */
export interface Cost {
  trips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** The answer of a service method: the value, what it cost, and the bookmark after which its writes can be read. */
export interface Metered<Value> {
  value: Value;
  cost: Cost;
  bookmark: string | null;
}

/** Who asked for the work, and under which request id it is logged. */
export interface Caller {
  actor: string;
  requestId: string;
  /** The Idempotency-Key that the request has claimed: what it writes marks the key as carried out, in the same batch. */
  key?: string;
  /** From where the request came, as the audit log keeps it. */
  origin?: AuditOrigin;
  /** How many runs of scripts led to it, each in answer to an event of the one before; 0 where it is left out. */
  depth?: number;
}
