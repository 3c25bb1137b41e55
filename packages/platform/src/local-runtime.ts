import { createRequire } from 'node:module';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { convertV4MiniflareOptions } from 'miniflare';

/*
 * All that is unstable in wrangler or beta in Miniflare is named in this file and nowhere else. Its rule in test/rules
 * knows the versions that it was read against.
 */

type AdapterOptions = Extract<Parameters<typeof convertV4MiniflareOptions>[0], { workers: unknown }>;
export type WorkerOptions = AdapterOptions['workers'][number];

interface Consumer {
  queue: string;
  dead_letter_queue?: string;
  max_concurrency?: number | null;
}

/** What a wrangler.toml says of a worker, and the bindings of it as the local runtime takes them. */
export async function readConfiguration(config: string) {
  const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import('wrangler');
  const { name = 'worker', triggers, queues } = unstable_readConfig({ config });
  const consumers: Consumer[] = queues.consumers ?? [];
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
  const { cronTriggers: _crons, modulesRules: _rules, rootPath: _root, ...options } = workerOptions;
  return {
    name,
    crons: triggers.crons ?? [],
    consumedQueues: consumers.map(({ queue }) => queue),
    deadLetterQueues: consumers.flatMap((consumer) => consumer.dead_letter_queue ?? []),
    concurrencyOfQueues: Object.fromEntries(
      consumers.flatMap(({ queue, max_concurrency: most }) => (most == null ? [] : [[queue, most]])),
    ),
    options: options as WorkerOptions,
  };
}

/** The statements of a file of SQL, as wrangler's own migrations take them apart. */
export async function splitStatements(sql: string): Promise<string[]> {
  const { unstable_splitSqlQuery } = await import('wrangler');
  return unstable_splitSqlQuery(sql);
}

/** The options of the worker that listens on an address: past Miniflare's own port, which obeys override headers. */
export const createSocketOptions = (address: { host: string; port: number }) => ({ unsafeDirectSockets: [address] });

/** On every socket Miniflare lets CONNECT to this host into a protocol of the runtime's own. */
export const connectHost = 'miniflare-unsafe-internal-capnp-connect';

export function findWorkerd(): string {
  const fromMiniflare = createRequire(createRequire(import.meta.url).resolve('miniflare'));
  return (fromMiniflare('workerd') as { default: string }).default;
}

/** Has each runtime that this process starts from now on started by a program of ours. */
export function setWorkerdLauncher(program: string): void {
  process.env.MINIFLARE_WORKERD_PATH = program;
}

// Miniflare would end this process at the first Ctrl-C, before whoever started the platform can stop it.
function rememberSignalHandlers(): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const before = new Set(signals.flatMap((signal) => process.listeners(signal)));
  return () => {
    for (const signal of signals)
      for (const listener of process.listeners(signal)) if (!before.has(listener)) process.off(signal, listener);
  };
}

interface LocalRuntimeOptions {
  workers: WorkerOptions[];
  /** Where the state of every worker is kept. */
  stateFolder: string;
  env: Record<string, string>;
  /** Of V8, unless the environment sets some. */
  v8Flags: string[];
  write(level: string, message: string): void;
  onRestart(): Promise<void>;
}

/** What Node may do with the runtime: what else Miniflare gives blocks this thread until workerd answers. */
export interface LocalRuntime {
  ready: Promise<unknown>;
  /** Posts to one worker: by Miniflare's own port, which is therefore a random local one. */
  post(worker: string, url: string, headers: Record<string, string>, body: string): Promise<Answer>;
  dispose(): Promise<void>;
}

interface Answer {
  status: number;
  json(): Promise<unknown>;
}

export async function openLocalRuntime(options: LocalRuntimeOptions): Promise<LocalRuntime> {
  const { Miniflare, Log, LogLevel, convertV4MiniflareOptions } = await import('miniflare');
  const { workers, stateFolder, env, v8Flags, write, onRestart } = options;
  class WrittenLog extends Log {
    override log(message: string): void {
      write('warn', stripVTControlCharacters(message));
    }
  }
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= v8Flags.join(' ');
  const dropSignalHandlers = rememberSignalHandlers();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      log: new WrittenLog(LogLevel.WARN),
      logRequests: false,
      unsafeLocalExplorer: false,
      unsafeRuntimeEnv: env,
      resourcePersistencePath: stateFolder,
      handleStructuredLogs: ({ level, message }) => write(level, message),
      handleUncaughtError: (error) => write('error', error.stack ?? error.message),
      unsafeHandleRuntimeRestart: onRestart,
      workers,
    }),
  );
  dropSignalHandlers();
  return {
    ready: miniflare.ready,
    post: (worker, url, headers, body) =>
      miniflare.dispatchFetch(url, { method: 'POST', headers: { 'MF-Route-Override': worker, ...headers }, body }),
    dispose: () => miniflare.dispose(),
  };
}

export type BucketScripts = ReturnType<typeof readBucketScripts>;

/** The scripts by which Miniflare keeps buckets on a disk, and the modules that they import. */
export function readBucketScripts() {
  const folder = path.join(path.dirname(createRequire(import.meta.url).resolve('miniflare')), 'workers');
  return {
    entry: path.join(folder, 'shared/object-entry.worker.js'),
    object: path.join(folder, 'r2/bucket.worker.js'),
    modules: {
      'miniflare:shared': path.join(folder, 'shared/index.worker.js'),
      'miniflare:zod': path.join(folder, 'shared/zod.worker.js'),
    },
    compatibilityDate: '2023-07-24',
    className: 'R2BucketObject',
    uniqueKey: 'miniflare-R2BucketObject',
    /** Bindings of the entry, of the object, and what names the bucket among the properties of its binding. */
    objectBinding: 'MINIFLARE_OBJECT',
    blobsBinding: 'MINIFLARE_BLOBS',
    namespaceProperty: 'MINIFLARE_NAMESPACE',
  };
}

/**
 * The options of a worker that reads its files straight from the disk.
 * Miniflare's own assets would put two more workers before each request, and five more heaps beside the worker.
 */
export function addLocalAssets(options: WorkerOptions): WorkerOptions {
  const { assets, ...rest } = options;
  if (assets?.binding === undefined) return options;
  const files = { disk: { path: assets.directory, writable: false } };
  return { ...rest, serviceBindings: { ...rest.serviceBindings, [assets.binding]: files } };
}
