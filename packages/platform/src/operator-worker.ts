import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { getMailFolder, getMailSocket } from './data-folder.ts';
import type { WorkerOptions } from './local-runtime.ts';
import type { Manifest } from './manifest.ts';

export const OPERATOR_WORKER = 'operator';
export const OPERATOR_KEY_HEADER = 'octavo-operator-key';

/** Creates the key that only the platform knows, so that nothing else can call the operator's worker. */
export const createOperatorKey = (): string => randomBytes(24).toString('base64url');

/**
 * Returns the dead letter queues without a consumer. The operator's worker consumes them, because the runtime would
 * drop their messages.
 */
export function listUnconsumedDeadLetters({ workers }: Manifest): string[] {
  const consumed = new Set(workers.flatMap((worker) => worker.consumedQueues));
  return workers.flatMap((worker) => worker.deadLetterQueues).filter((queue) => !consumed.has(queue));
}

/** Returns the name of the binding through which the operator's worker runs the crons of another worker. */
export const getCronBinding = (worker: string): string => `worker:${worker}`;

/** Adds the bindings that the operator's worker needs on one machine to its configured bindings. */
export function addOperatorBindings(
  options: WorkerOptions,
  { manifest, key, dataDir, sendsMail }: { manifest: Manifest; key: string; dataDir: string; sendsMail: boolean },
): WorkerOptions {
  const workers = manifest.workers.map(({ name }) => [getCronBinding(name), name]);
  return {
    ...options,
    // Crons of other workers are run through service bindings.
    compatibilityFlags: [...(options.compatibilityFlags ?? []), 'service_binding_extra_handlers'],
    bindings: { ...options.bindings, KEY: key },
    serviceBindings: {
      ...options.serviceBindings,
      ...Object.fromEntries(workers),
      MAILBOX: { disk: { path: getMailFolder(dataDir), writable: true } },
      ...(sendsMail
        ? { SMTP: { external: { address: `unix:${path.resolve(getMailSocket(dataDir))}`, http: {} } } }
        : {}),
    },
    queueConsumers: Object.fromEntries(
      listUnconsumedDeadLetters(manifest).map((queue) => [queue, { maxBatchSize: 10, maxBatchTimeout: 1 }]),
    ),
  };
}
