import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Miniflare } from 'miniflare';
import { logFile, stateFolder } from './data-folder.ts';
import { withLocalAssets } from './local-assets.ts';
import type { Log } from './log.ts';
import { mailWorker, withLocalMail } from './mail-worker.ts';
import type { BuiltWorker, Manifest, WorkerOptions } from './manifest.ts';
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
  log: Log;
  onRestart(): Promise<void>;
}

async function workerOptions(worker: BuiltWorker, { outDir, vars, address }: RuntimeOptions): Promise<WorkerOptions> {
  const file = path.join(outDir, worker.bundle);
  const isPublic = worker.name === 'gateway' && address !== undefined;
  return {
    ...withLocalMail(withLocalAssets(worker.options)),
    name: worker.name,
    bindings: { ...worker.options.bindings, ...vars },
    modulesRoot: outDir,
    modules: [{ type: 'ESModule', path: file, contents: await readFile(file, 'utf8') }],
    outboundService: OUTSIDE_WORKER,
    ...(isPublic ? { unsafeDirectSockets: [address] } : {}),
  };
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

/** What Node may do with the runtime: what else Miniflare gives blocks this thread until workerd answers. */
export interface Runtime {
  call: CallWorker;
  dispose(): Promise<void>;
}

const callerOf =
  (miniflare: Miniflare, key: string): CallWorker =>
  async (path, body) => {
    const answer = await miniflare.dispatchFetch(`http://operator${path}`, {
      method: 'POST',
      headers: { 'MF-Route-Override': OPERATOR_WORKER, [OPERATOR_KEY_HEADER]: key },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };

/** Starts workerd with every worker. Miniflare's own port answers to override headers, so it stays a random local one. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { Miniflare, Log: MiniflareLog, LogLevel, convertV4MiniflareOptions } = await import('miniflare');
  const { log, dataDir, env, manifest } = options;
  class FileLog extends MiniflareLog {
    override log(message: string): void {
      log.write('warn', stripVTControlCharacters(message));
    }
  }
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= v8Flags.join(' ');
  const operator = operatorWorker(manifest);
  const workers = await Promise.all(manifest.workers.map((worker) => workerOptions(worker, options)));
  const dropSignalHandlers = rememberSignalHandlers();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      log: new FileLog(LogLevel.WARN),
      logRequests: false,
      unsafeLocalExplorer: false,
      unsafeRuntimeEnv: env,
      resourcePersistencePath: stateFolder(dataDir),
      handleStructuredLogs: ({ level, message }) => log.write(level, message),
      handleUncaughtError: (error) => log.write('error', error.stack ?? error.message),
      unsafeHandleRuntimeRestart: () => options.onRestart(),
      workers: [
        ...workers,
        operator.options,
        mailWorker(dataDir),
        outsideWorker(options.vars.OCTAVO_IMPORT_ALLOW_PRIVATE === '1'),
      ],
    }),
  );
  dropSignalHandlers();
  await miniflare.ready.catch((error: Error) => {
    throw new PlatformError(`The runtime does not start: ${error.message} The log is ${logFile(dataDir)}.`);
  });
  return { call: callerOf(miniflare, operator.key), dispose: () => miniflare.dispose() };
}
