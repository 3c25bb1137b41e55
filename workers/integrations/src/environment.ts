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
  /** Tokens and keys are derived from it, and values are sealed with it. */
  OCTAVO_SECRET: string;
}
