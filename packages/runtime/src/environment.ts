import type { DatabaseBinding } from '@octavo/db';
import type { MessageQueue, WaitingMessage } from '@octavo/schema';
import type { Secrets } from './secrets.ts';

interface EventSender {
  sendBatch(messages: { body: WaitingMessage; delaySeconds?: number }[]): Promise<unknown>;
}

/** The queues of events; a worker is bound to those that it writes events for, and the sweep sends what is left over. */
export type EventQueues = { [Queue in MessageQueue]?: EventSender };

/** The settings that every worker has. */
export interface Settings {
  /** Where clients reach the API, without a slash at the end. */
  OCTAVO_PUBLIC_URL: string;
  /** Where the sites of an organization are, with `{organization}` for its hostname; under the public address else. */
  OCTAVO_SITES_URL?: string;
  /** What tells this build of the software from others. */
  OCTAVO_BUILD?: string;
  /** `1` in tests: every answer and error is checked against the contract. */
  OCTAVO_CHECK_RESPONSES?: string;
}

/** The bindings and settings of every worker that has a database. */
export interface Environment extends EventQueues, Settings, Secrets {
  DB: DatabaseBinding;
  /** `1` where tests serve on loopback what is imported: private addresses may be fetched. */
  OCTAVO_IMPORT_ALLOW_PRIVATE?: string;
  /** In tests: answers count rows for whoever sends it as `octavo-test-key`, also where they hide them. */
  OCTAVO_TEST_KEY?: string;
}

/** What a worker may leave running after its answer. */
export interface Background {
  waitUntil(promise: Promise<unknown>): void;
}
