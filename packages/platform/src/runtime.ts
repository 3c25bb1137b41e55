import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { logFile, stateFolder } from './data-folder.ts';
import { withLocalAssets } from './local-assets.ts';
import { type LocalRuntime, listeningOn, openLocalRuntime, type WorkerOptions } from './local-runtime.ts';
import type { Log } from './log.ts';
import { mailWorker, withLocalMail } from './mail-worker.ts';
import type { BuiltWorker, Manifest } from './manifest.ts';
import { v8Flags } from './memory-limits.ts';
import type { CallWorker } from './operator.ts';
import { OPERATOR_KEY_HEADER, OPERATOR_WORKER, operatorWorker } from './operator-worker.ts';
import { OUTSIDE_WORKER, outsideWorker } from './outside-worker.ts';
import { PlatformError } from './platform-error.ts';

export interface RuntimeOptions {
  outDir: string;
  dataDir: string;
  manifest: Manifest;
  vars: Record<string, string>;
  /** Where the gateway listens; undefined for no public port. */
  address: { host: string; port: number } | undefined;
  env: Record<string, string>;
  /** Queues hand over at once what they got, and do not wait for more. */
  isPrompt: boolean;
  log: Log;
  onRestart(): Promise<void>;
}

const PROMPT_SECONDS = 0.02;

function withPromptQueues(options: WorkerOptions): WorkerOptions {
  const { queueConsumers } = options;
  if (queueConsumers === undefined || Array.isArray(queueConsumers)) return options;
  const prompt = Object.entries(queueConsumers).map(([queue, { maxBatchTimeout = 1, ...consumer }]) => [
    queue,
    { ...consumer, maxBatchTimeout: Math.min(maxBatchTimeout, PROMPT_SECONDS) },
  ]);
  return { ...options, queueConsumers: Object.fromEntries(prompt) };
}

async function workerOptions(
  worker: BuiltWorker,
  { outDir, vars, address, isPrompt }: RuntimeOptions,
): Promise<WorkerOptions> {
  const file = path.join(outDir, worker.bundle);
  const isPublic = worker.name === 'gateway' && address !== undefined;
  return {
    ...withLocalMail(withLocalAssets(isPrompt ? withPromptQueues(worker.options) : worker.options)),
    name: worker.name,
    bindings: { ...worker.options.bindings, ...vars },
    modulesRoot: outDir,
    modules: [{ type: 'ESModule', path: file, contents: await readFile(file, 'utf8') }],
    outboundService: OUTSIDE_WORKER,
    ...(isPublic ? listeningOn(address) : {}),
  };
}

export interface Runtime {
  call: CallWorker;
  dispose(): Promise<void>;
}

const callerOf =
  ({ post }: LocalRuntime, key: string): CallWorker =>
  async (path, body) => {
    const headers = { [OPERATOR_KEY_HEADER]: key };
    const answer = await post(OPERATOR_WORKER, `http://operator${path}`, headers, JSON.stringify(body));
    return { status: answer.status, body: await answer.json() };
  };

/** Starts workerd with every worker. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { log, dataDir, env, manifest, onRestart, vars } = options;
  const operator = operatorWorker(manifest);
  const workers = await Promise.all(manifest.workers.map((worker) => workerOptions(worker, options)));
  const runtime = await openLocalRuntime({
    workers: [
      ...workers,
      operator.options,
      mailWorker(dataDir),
      outsideWorker(vars.OCTAVO_IMPORT_ALLOW_PRIVATE === '1'),
    ],
    stateFolder: stateFolder(dataDir),
    env,
    v8Flags,
    write: (level, message) => log.write(level, message),
    onRestart,
  });
  await runtime.ready.catch((error: Error) => {
    throw new PlatformError(`The runtime does not start: ${error.message} The log is ${logFile(dataDir)}.`);
  });
  return { call: callerOf(runtime, operator.key), dispose: () => runtime.dispose() };
}
