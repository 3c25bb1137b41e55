import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  getLogFile,
  getMailFolder,
  getOutputPipe,
  getRuntimeConfigFile,
  getScriptsSocket,
  getStateFolder,
} from './data-folder.ts';
import {
  addLocalAssets,
  createSocketOptions,
  type LocalRuntime,
  openLocalRuntime,
  setWorkerdLauncher,
  type WorkerOptions,
} from './local-runtime.ts';
import type { OpenLog } from './log.ts';
import { SCRIPTS } from './machine-config.ts';
import { type BuiltWorker, type Manifest, splitWorkers } from './manifest.ts';
import { createNetworkWorker, OUTSIDE_WORKER } from './network-worker.ts';
import type { CallWorker } from './operator.ts';
import { addOperatorBindings, createOperatorKey, OPERATOR_KEY_HEADER, OPERATOR_WORKER } from './operator-worker.ts';
import { PlatformError } from './platform-error.ts';
import { v8Flags } from './workerd-process.ts';

export interface RuntimeOptions {
  outDir: string;
  dataDir: string;
  manifest: Manifest;
  vars: Record<string, string>;
  /** The address on which the gateway listens; undefined without a public port. */
  address: { host: string; port: number } | undefined;
  /** The program that starts workerd. It must run with the environment `env`. */
  launcher: string;
  env: Record<string, string>;
  /** Whether queues deliver messages immediately, without waiting for a full batch. */
  isPrompt: boolean;
  /** Whether mails are sent to an SMTP server instead of being written to files. */
  sendsMail: boolean;
  /** The module that is loaded in place of the machine's worker, in tests. */
  entry?: string | undefined;
  log: OpenLog;
  onRestart(): Promise<void>;
  /** Called with the reason when the runtime is no longer restarted. */
  onGivenUp(reason: string): void;
}

const PROMPT_SECONDS = 0.02;
/** Only workers in separate isolates need this filter, because only then does Miniflare configure the runtime. */
const hideConnect = fileURLToPath(new URL('./hide-connect.ts', import.meta.url));

function addPromptQueues(options: WorkerOptions): WorkerOptions {
  const { queueConsumers } = options;
  if (queueConsumers === undefined || Array.isArray(queueConsumers)) return options;
  const prompt = Object.entries(queueConsumers).map(([queue, { maxBatchTimeout = 1, ...consumer }]) => [
    queue,
    { ...consumer, maxBatchTimeout: Math.min(maxBatchTimeout, PROMPT_SECONDS) },
  ]);
  return { ...options, queueConsumers: Object.fromEntries(prompt) };
}

/**
 * Returns the options of a worker whose mail bindings are replaced by the operator's worker, which stores the mails.
 */
function addLocalMail(options: WorkerOptions): WorkerOptions {
  const { email, ...rest } = options as WorkerOptions & { email?: { send_email?: { name: string }[] } };
  const names = (email?.send_email ?? []).map(({ name }) => name);
  const bindings = Object.fromEntries(names.map((name) => [name, { name: OPERATOR_WORKER, entrypoint: 'Mail' }]));
  return { ...rest, serviceBindings: { ...rest.serviceBindings, ...bindings } };
}

/** Returns the options of a worker that uses the script host instead of Cloudflare's worker loader. */
function addScriptHost(options: WorkerOptions, dataDir: string): WorkerOptions {
  const { workerLoaders, ...rest } = options;
  if (Object.keys(workerLoaders ?? {}).length === 0) return rest;
  const host = { external: { address: `unix:${path.resolve(getScriptsSocket(dataDir))}`, http: {} } };
  return { ...rest, serviceBindings: { ...rest.serviceBindings, [SCRIPTS]: host } };
}

async function createWorkerOptions(
  worker: BuiltWorker,
  { outDir, dataDir, vars, address, isPrompt }: RuntimeOptions,
): Promise<WorkerOptions> {
  const file = path.join(outDir, worker.bundle);
  const isPublic = worker.name === 'gateway' && address !== undefined;
  const options = addScriptHost(
    addLocalMail(addLocalAssets(isPrompt ? addPromptQueues(worker.options) : worker.options)),
    dataDir,
  );
  return {
    ...options,
    name: worker.name,
    bindings: { ...worker.options.bindings, OCTAVO_BUILD: worker.build, ...vars },
    modulesRoot: outDir,
    modules: [
      { type: 'ESModule', path: file, contents: await readFile(file, 'utf8') },
      ...worker.wasm.map((each) => ({ type: 'CompiledWasm' as const, path: path.join(outDir, each) })),
    ],
    outboundService: OUTSIDE_WORKER,
    ...(isPublic ? createSocketOptions(address) : {}),
  };
}

export interface Runtime {
  call: CallWorker;
  dispose(): Promise<void>;
}

const createOperatorCall =
  ({ post }: LocalRuntime, key: string): CallWorker =>
  async (path, body) => {
    const headers = { [OPERATOR_KEY_HEADER]: key };
    const response = await post(OPERATOR_WORKER, `http://operator${path}`, headers, JSON.stringify(body));
    return { status: response.status, body: await response.json() };
  };

/** Starts workerd with each worker in its own isolate and the local D1, as on Cloudflare. */
export async function startWorkers(options: RuntimeOptions): Promise<Runtime> {
  const { log, dataDir, env, launcher, onRestart, vars, sendsMail } = options;
  const { manifest, render } = splitWorkers(options.manifest);
  const key = createOperatorKey();
  await mkdir(getMailFolder(dataDir), { recursive: true, mode: 0o700 });
  const bindWorker = async (worker: BuiltWorker): Promise<WorkerOptions> => {
    const workerOptions = await createWorkerOptions(worker, options);
    return worker.name === OPERATOR_WORKER
      ? addOperatorBindings(workerOptions, { manifest, key, dataDir, sendsMail })
      : workerOptions;
  };
  setWorkerdLauncher(launcher);
  const runtime = await openLocalRuntime({
    workers: [
      ...(await Promise.all([...manifest.workers, render].map(bindWorker))),
      createNetworkWorker(vars.OCTAVO_IMPORT_ALLOW_PRIVATE === '1'),
    ],
    stateFolder: getStateFolder(dataDir),
    env: {
      ...env,
      OCTAVO_WORKERD_OUTPUT: getOutputPipe(dataDir),
      OCTAVO_WORKERD_CONFIG: getRuntimeConfigFile(dataDir),
      OCTAVO_HIDE_CONNECT: hideConnect,
    },
    v8Flags,
    write: (level, message) => log.write(level, message),
    onRestart,
  });
  await runtime.ready.catch((error: Error) => {
    throw new PlatformError(`The runtime could not be started: ${error.message} See the log: ${getLogFile(dataDir)}.`);
  });
  return { call: createOperatorCall(runtime, key), dispose: () => runtime.dispose() };
}
