import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RequestBytes } from './request-bytes.ts';

/** What is sent to one address, and for how long. */
export interface LoadOptions {
  host: string;
  port: number;
  requests: RequestBytes[];
  connections: number;
  seconds: number;
  /** The number that the first sending puts into its request. */
  first: number;
}

export interface Load {
  /** All that was answered as expected, also what came after the time was over. */
  answered: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** How many answers were not as expected, by what they were. */
  failures: Record<string, number>;
  /** The number that a next load begins with. */
  next: number;
}

/** Loads a server from a thread of its own, with one request at a time on each connection. */
export async function load(options: LoadOptions): Promise<Load> {
  const thread = new Worker(new URL('./load-thread.ts', import.meta.url), { workerData: options });
  const [message] = await Promise.race([
    once(thread, 'message') as Promise<[Load]>,
    once(thread, 'error').then(([error]) => {
      throw error;
    }),
  ]);
  await thread.terminate();
  return message;
}
