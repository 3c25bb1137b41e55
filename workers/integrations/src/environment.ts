import type { Environment } from '@octavo/runtime';
import type { ContentService, SendMessage } from '@octavo/schema';

export interface IntegrationsEnvironment extends Environment {
  CONTENT: ContentService;
  /** Scripts and images of integrations. */
  RENDERED: R2Bucket;
  /** On one machine: where scripts run. */
  SCRIPTS?: Fetcher;
  /** At Cloudflare: what makes isolates for scripts. */
  LOADER?: WorkerLoader;
  /** Subscriptions that have something to be sent. */
  SENDS: { sendBatch(messages: { body: SendMessage; delaySeconds?: number }[]): Promise<unknown> };
  /** What tokens and keys follow from, and what sealed values are sealed by. */
  OCTAVO_SECRET: string;
}
