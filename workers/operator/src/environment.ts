import type { Environment } from '@octavo/runtime';
import type { MailEnvironment } from './mail.ts';

/** The RPC interface of a worker with crons. */
interface Scheduled {
  scheduled(options: { scheduledTime: Date; cron: string }): Promise<{ outcome: string }>;
}

export type Body = Record<string, unknown>;
type Service<Method extends string> = Record<Method | 'recover', (body: Body) => Promise<unknown>>;

type QueueBinding = 'EVENTS' | 'JOBS' | 'MAILS' | 'PDFS' | 'SPECS' | 'DELIVERIES' | 'SENDS';
type Queues = Record<QueueBinding, { sendBatch(messages: { body: unknown }[]): Promise<unknown> }>;

/** Workers are also bound as `worker:<name>`, for their crons. */
export interface OperatorEnvironment extends MailEnvironment, Queues, Omit<Environment, QueueBinding> {
  /** On one machine: rejects callers other than the operator. */
  KEY?: string;
  FILES: R2Bucket;
  RENDERED: R2Bucket;
  ORG_ADMIN: Service<'issueToken' | 'createLoginLink'>;
  CONTENT: Service<'listJobs' | 'readMetrics' | 'readHealth' | 'replayJobs' | 'checkData' | 'rebuildSearch'>;
  PUBLISHING: Service<never>;
  INTEGRATIONS: Service<never>;
  [worker: `worker:${string}`]: Scheduled | undefined;
}

/** Returns the queue with a name such as `events`. */
export const findQueue = (env: Queues, name: string): Queues[QueueBinding] | undefined =>
  (env as Partial<Record<string, Queues[QueueBinding]>>)[name.toUpperCase()];
