import type { DatabaseBinding } from '@octavo/db';
import type { MessageQueue, WaitingMessage } from '@octavo/schema';
import type { Secrets } from './secrets.ts';

interface EventSender {
  sendBatch(messages: { body: WaitingMessage; delaySeconds?: number }[]): Promise<unknown>;
}

/** The queues of events. A worker has bindings for the queues of its own events; the sweep sends the rest. */
export type EventQueues = { [Queue in MessageQueue]?: EventSender };

/** The settings that every worker has. */
export interface Settings {
  /** The URL at which clients reach the API, without a trailing slash. */
  OCTAVO_PUBLIC_URL: string;
  /**
   * The URL of an organization's sites, with `{organization}` for its hostname. By default they are below the public
   * URL.
   */
  OCTAVO_SITES_URL?: string;
  /**
   * Identifies the code on which this worker's responses depend: the id of its own bundle. In the publishing worker,
   * the id of the content worker's bundle follows after a dot, because that bundle affects the cached pages.
   */
  OCTAVO_BUILD?: string;
  /** `1` in tests: every response and error is validated against the contract. */
  OCTAVO_CHECK_RESPONSES?: string;
}

/** The bindings and settings of every worker that has a database. */
export interface Environment extends EventQueues, Settings, Secrets {
  DB: DatabaseBinding;
  /** `1` if private addresses may be fetched, for tests that serve imported content on loopback. */
  OCTAVO_IMPORT_ALLOW_PRIVATE?: string;
  /** In tests: a request with this value in `octavo-test-key` receives row counts that are otherwise hidden. */
  OCTAVO_TEST_KEY?: string;
}

/** Runs work after the response. */
export interface Background {
  waitUntil(promise: Promise<unknown>): void;
}
