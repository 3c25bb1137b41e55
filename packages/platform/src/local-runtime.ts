import { createRequire } from 'node:module';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { convertV4MiniflareOptions } from 'miniflare';
import { PlatformError } from './platform-error.ts';

/*
 * Only this file uses unstable parts of wrangler and beta parts of Miniflare. A rule in test/rules lists the versions
 * that it was checked against.
 */

type AdapterOptions = Extract<Parameters<typeof convertV4MiniflareOptions>[0], { workers: unknown }>;
export type WorkerOptions = AdapterOptions['workers'][number];

interface Consumer {
  queue: string;
  dead_letter_queue?: string;
  max_concurrency?: number | null;
}

/** Selects the settings outside environments, although CLOUDFLARE_ENV may name an environment. */
const topLevel = '';

/** Reads a wrangler.toml, with the worker's bindings in the form of the local runtime. */
export async function readConfiguration(config: string) {
  const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import('wrangler');
  const { name = 'worker', triggers, queues } = unstable_readConfig({ config, env: topLevel });
  const consumers: Consumer[] = queues.consumers ?? [];
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config, topLevel);
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

/** A wrangler.toml with the defaults of wrangler. */
export interface WranglerConfiguration {
  name: string;
  assets?: { directory: string; binding: string };
  vars: Record<string, unknown>;
  migrations: { tag: string }[];
  triggers: { crons?: string[] };
  services: { binding: string; service: string; entrypoint?: string }[];
  queues: {
    producers: { binding: string; queue: string }[];
    consumers?: {
      queue: string;
      dead_letter_queue?: string;
      max_batch_size?: number;
      max_batch_timeout?: number;
      max_retries?: number;
      retry_delay?: number;
      max_concurrency?: number;
    }[];
  };
  r2_buckets: { binding: string; bucket_name: string }[];
  d1_databases: { binding: string; database_name: string }[];
  ratelimits: { name: string; namespace_id: string; simple: { limit: number; period: number } }[];
}

export async function readWranglerConfiguration(config: string): Promise<WranglerConfiguration> {
  const { unstable_readConfig } = await import('wrangler');
  return unstable_readConfig({ config, env: topLevel }) as WranglerConfiguration;
}

/** Splits a SQL file into statements as wrangler's migrations do. */
export async function splitStatements(sql: string): Promise<string[]> {
  const { unstable_splitSqlQuery } = await import('wrangler');
  return unstable_splitSqlQuery(sql);
}

/**
 * Returns the options of a worker that listens on an address directly. Miniflare's own port must not be public, because
 * it accepts headers that override the URL and the route.
 */
export const createSocketOptions = (address: { host: string; port: number }) => ({ unsafeDirectSockets: [address] });

/**
 * The host to which Miniflare allows CONNECT on every socket, which gives access to an internal protocol of the
 * runtime.
 */
export const connectHost = 'miniflare-unsafe-internal-capnp-connect';

/** Returns the path of the runtime: Miniflare's own, or that of the package `workerd` if Miniflare is not installed. */
export function findWorkerd(): string {
  const own = createRequire(import.meta.url);
  for (const find of [() => createRequire(own.resolve('miniflare')), () => own]) {
    try {
      return (find()('workerd') as { default: string }).default;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    }
  }
  throw new PlatformError('The runtime for scripts is not installed. Run: npm install workerd');
}

/** Makes this process start all further runtimes with this program. */
export function setWorkerdLauncher(program: string): void {
  process.env.MINIFLARE_WORKERD_PATH = program;
}

// Returns a function that removes the signal handlers that were added since this call. Miniflare's handlers would end
// this process at the first Ctrl-C, before the platform is stopped properly.
function rememberSignalHandlers(): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const handlers = new Set(signals.flatMap((signal) => process.listeners(signal)));
  return () => {
    for (const signal of signals)
      for (const listener of process.listeners(signal)) if (!handlers.has(listener)) process.off(signal, listener);
  };
}

interface LocalRuntimeOptions {
  workers: WorkerOptions[];
  /** The folder with the state of all workers. */
  stateFolder: string;
  env: Record<string, string>;
  /** The flags of V8, unless the environment sets others. */
  v8Flags: string[];
  write(level: string, message: string): void;
  onRestart(): Promise<void>;
}

/** The functions of the runtime that do not block this thread until workerd responds. */
export interface LocalRuntime {
  ready: Promise<unknown>;
  /** Sends a POST request to a worker through Miniflare's own port, which is a random local port. */
  post(worker: string, url: string, headers: Record<string, string>, body: string): Promise<RuntimeResponse>;
  dispose(): Promise<void>;
}

interface RuntimeResponse {
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

/** Reads Miniflare's scripts that emulate R2 buckets on disk, including the modules that they import. */
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
    /**
     * Names that the scripts expect: the object binding of the entry, the blobs binding of the object, and the property
     * for the bucket's name.
     */
    objectBinding: 'MINIFLARE_OBJECT',
    blobsBinding: 'MINIFLARE_BLOBS',
    namespaceProperty: 'MINIFLARE_NAMESPACE',
  };
}

/**
 * Returns the options of a worker that reads its static files directly from disk. Miniflare's own assets would run two
 * more workers for each request and need five more heaps.
 */
export function addLocalAssets(options: WorkerOptions): WorkerOptions {
  const { assets, ...rest } = options;
  if (assets?.binding === undefined) return options;
  const files = { disk: { path: assets.directory, writable: false } };
  return { ...rest, serviceBindings: { ...rest.serviceBindings, [assets.binding]: files } };
}
