import { randomBytes } from 'node:crypto';
import { getMailFolder } from './data-folder.ts';
import type { WorkerOptions } from './local-runtime.ts';
import type { Manifest } from './manifest.ts';

export const OPERATOR_WORKER = 'operator';
export const OPERATOR_KEY_HEADER = 'octavo-operator-key';

/** What keeps out whoever finds a way to the operator's worker other than the platform's. */
export const createOperatorKey = (): string => randomBytes(24).toString('base64url');

/** The dead letters that no worker consumes: the operator's takes them, where the runtime would drop them. */
export function listUnconsumedDeadLetters({ workers }: Manifest): string[] {
  const consumed = new Set(workers.flatMap((worker) => worker.consumedQueues));
  return workers.flatMap((worker) => worker.deadLetterQueues).filter((queue) => !consumed.has(queue));
}

/** By which the operator's worker reaches each of the others, for its crons. */
export const getCronBinding = (worker: string): string => `worker:${worker}`;

/** What the operator's worker is bound to on one machine, besides what its configuration says. */
export function addOperatorBindings(
  options: WorkerOptions,
  { manifest, key, dataDir }: { manifest: Manifest; key: string; dataDir: string },
): WorkerOptions {
  const workers = manifest.workers.map(({ name }) => [getCronBinding(name), name]);
  return {
    ...options,
    bindings: { ...options.bindings, KEY: key },
    serviceBindings: {
      ...options.serviceBindings,
      ...Object.fromEntries(workers),
      MAILBOX: { disk: { path: getMailFolder(dataDir), writable: true } },
    },
    queueConsumers: Object.fromEntries(
      listUnconsumedDeadLetters(manifest).map((queue) => [queue, { maxBatchSize: 10, maxBatchTimeout: 1 }]),
    ),
  };
}
