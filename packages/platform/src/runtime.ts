import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Miniflare } from 'miniflare';
import { stateFolder } from './data-folder.ts';
import { withLocalAssets } from './local-assets.ts';
import type { LogFile } from './log-file.ts';
import { mailWorker, withLocalMail } from './mail-worker.ts';
import type { BuiltWorker, Manifest, WorkerOptions } from './manifest.ts';
import { v8Flags } from './memory-limits.ts';
import { operatorWorker } from './operator-worker.ts';
import { OUTSIDE_WORKER, outsideWorker } from './outside-worker.ts';

export interface RuntimeOptions {
  outDir: string;
  dataDir: string;
  manifest: Manifest;
  vars: Record<string, string>;
  /** Where the gateway listens; undefined for no public port. */
  address: { host: string; port: number } | undefined;
  env: Record<string, string>;
  log: LogFile;
  onRestart(): void;
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

function unconsumedDeadLetters({ workers }: Manifest): string[] {
  const consumed = new Set(workers.flatMap((worker) => worker.consumedQueues));
  return workers.flatMap((worker) => worker.deadLetterQueues).filter((queue) => !consumed.has(queue));
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

/** Starts workerd with every worker. Miniflare's own port answers to override headers, so it stays a random local one. */
export async function startRuntime(options: RuntimeOptions): Promise<{ miniflare: Miniflare; operatorKey: string }> {
  const { Miniflare, Log, LogLevel, convertV4MiniflareOptions } = await import('miniflare');
  const { log, dataDir, env, manifest } = options;
  class FileLog extends Log {
    override log(message: string): void {
      log.write('warn', stripVTControlCharacters(message));
    }
  }
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= v8Flags.join(' ');
  const operator = operatorWorker(unconsumedDeadLetters(manifest));
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
  await miniflare.ready;
  return { miniflare, operatorKey: operator.key };
}
