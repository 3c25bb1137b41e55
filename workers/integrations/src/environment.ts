import type { Environment } from '@octavo/runtime';
import type { ContentService, SendMessage } from '@octavo/schema';

export interface IntegrationsEnvironment extends Environment {
  CONTENT: ContentService;
  /** Stores the scripts and images of integrations. */
  RENDERED: R2Bucket;
  /** On one machine: the host that runs scripts. */
  SCRIPTS?: Fetcher;
  /** At Cloudflare: creates isolates for scripts. */
  LOADER?: WorkerLoader;
  /** Queue of subscriptions with due deliveries. */
  SENDS: { sendBatch(messages: { body: SendMessage; delaySeconds?: number }[]): Promise<unknown> };
  /** The secret from which tokens and keys are derived, and with which values are sealed. */
  OCTAVO_SECRET: string;
}
