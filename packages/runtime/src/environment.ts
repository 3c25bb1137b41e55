import type { DatabaseBinding } from '@octavo/db';
import type { EventMessage } from '@octavo/schema';

/** The bindings and settings that every worker has. */
export interface Environment {
  DB: DatabaseBinding;
  /** The queue of events; only workers whose events have a consumer are bound to it, the sweep sends for the others. */
  EVENTS?: { sendBatch(messages: { body: EventMessage }[]): Promise<unknown> };
  /** Where clients reach the API, without a slash at the end. */
  OCTAVO_PUBLIC_URL: string;
  /** `1` in tests: every answer and error is checked against the contract. */
  OCTAVO_CHECK_RESPONSES?: string;
}

/** What a worker may leave running after its answer. */
export interface Background {
  waitUntil(promise: Promise<unknown>): void;
}
