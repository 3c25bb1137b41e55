import path from 'node:path';
import { scheduleCrons } from './crons.ts';
import { keepDamagedLogs } from './damaged-logs.ts';
import { readPreviousSecret, readSecret } from './data-folder.ts';
import { type DiskLimits, defaultDiskLimits, watchDisk } from './disk-space.ts';
import { type Lock, lockDataFolder } from './lock.ts';
import { type Log, type OpenLog, openLog } from './log.ts';
import { startMachine } from './machine-runtime.ts';
import { startMailServer } from './mail-server.ts';
import { type Manifest, readManifest, splitWorkers } from './manifest.ts';
import { migrate } from './migrate.ts';
import { createOperator, createRefusal, type Operator } from './operator.ts';
import { PlatformError } from './platform-error.ts';
import { claimPort } from './process-info.ts';
import { startRenderServer } from './render-process.ts';
import { type Runtime, startWorkers } from './runtime.ts';
import { startScriptHost } from './script-host/script-host.ts';
import { openThreadedLog } from './threaded-log.ts';
import { guardWorkerd, readRuntimeStart, watchRuntime } from './workerd-process.ts';

interface PlatformOptions {
  root: string;
  dataDir: string;
  /** The port of the gateway: 0 for any free port, null for no public port. */
  port: number | null;
  host?: string;
  /** The build folder; `<root>/build` by default. */
  outDir?: string;
  /** Replaces or adds to the [vars] of every worker. */
  vars?: Record<string, string>;
  /**
   * For tests: callers with this key receive row counts and may run statements through the operator's socket. Queues
   * deliver immediately.
   */
  testKey?: string | undefined;
  /**
   * `machine` (default): all workers in one isolate; `workers`: each worker in its own isolate with the local D1, as on
   * Cloudflare.
   */
  shape?: 'machine' | 'workers' | undefined;
  /** For tests: a module that is loaded in place of the machine's worker `machine.js`, and imports it. */
  entry?: string | undefined;
  /** The reason for a restart, for the log. */
  restarted?: string | undefined;
  log?(message: string): void;
  /**
   * The time after which a runtime that does not respond to health checks is restarted. By default, it is never
   * restarted.
   */
  patienceSeconds?: number;
  /** The SMTP server that sends mails. Without it, mails are written to files. */
  smtpUrl?: string | undefined;
  /** The free disk space that the server requires. */
  disk?: DiskLimits | undefined;
  /** Called when the runtime has ended so often that it is not restarted. */
  onGivenUp?(reason: string): void;
}

export interface Platform {
  /** The public URL, without a trailing slash; empty without a public port. */
  url: string;
  operator: Operator;
  dispatchCron(worker: string, cron: string): Promise<string>;
  /** Returns whether the runtime is healthy; the reason of a failure is logged. Waits until the runtime responds. */
  check(): Promise<boolean>;
  stop(): Promise<void>;
}

type Cleanup = () => Promise<void> | void;

async function runCleanups(cleanups: Cleanup[]): Promise<void> {
  for (const cleanup of cleanups.reverse()) await cleanup();
}

async function loadManifest(outDir: string): Promise<Manifest> {
  const manifest = await readManifest(outDir);
  if (!manifest) throw new PlatformError(`${outDir} contains no build of Octavo. Run npm run build.`);
  return manifest;
}

const toCheck =
  ({ call }: Runtime, log: Log) =>
  async (): Promise<boolean> => {
    const { status, body } = await call('/check', {}).catch((error: Error) => createRefusal(500, error.message));
    if (status !== 200) log.write('error', `The health check failed: ${JSON.stringify(body)}`);
    return status === 200;
  };

/** A failure is only logged, because timers resume the work later. */
async function recover(operator: Operator, dataDir: string, log: Log): Promise<void> {
  try {
    await operator.recover(await readRuntimeStart(dataDir));
  } catch (error) {
    log.write('error', `Interrupted work could not be resumed yet, the crons will retry: ${error}`);
  }
}

/** Starts the servers in this process that the workers call. */
async function startHelpers(
  serverOptions: Parameters<typeof startScriptHost>[0],
  { smtpUrl, shape }: PlatformOptions,
  cleanups: Cleanup[],
): Promise<void> {
  cleanups.push(await startScriptHost(serverOptions));
  if (shape !== 'workers') cleanups.push(await startRenderServer(serverOptions));
  const { dataDir, log } = serverOptions;
  if (smtpUrl !== undefined) cleanups.push(await startMailServer({ dataDir, smtpUrl, log }));
}

function startDiskWatch({ dataDir, disk, log }: PlatformOptions, { reportStorage }: Operator, logTo: Log): () => void {
  const limits = disk ?? defaultDiskLimits;
  return watchDisk({ dataDir, limits, report: reportStorage, log: logTo, print: (message) => log?.(message) });
}

interface StartedPlatform {
  manifest: Manifest;
  dataDir: string;
  url: string;
}

/** Returns the variables of all workers. */
async function createVars({ shape, testKey, vars }: PlatformOptions, { manifest, dataDir, url }: StartedPlatform) {
  const previous = await readPreviousSecret(dataDir);
  return {
    // Workers in separate isolates have different values of `OCTAVO_BUILD`.
    ...(shape === 'workers' ? {} : { OCTAVO_BUILD: splitWorkers(manifest).machine.build }),
    OCTAVO_SECRET: await readSecret(dataDir),
    ...(previous === undefined ? {} : { OCTAVO_SECRET_PREVIOUS: previous }),
    // Clients connect directly to the port, so headers with an address cannot be trusted.
    OCTAVO_CLIENT_ADDRESS_HEADER: '',
    OCTAVO_ONE_ISOLATE: '1',
    OCTAVO_SITE_MAX_AGE: '0',
    ...(url ? { OCTAVO_PUBLIC_URL: url } : {}),
    ...(testKey === undefined ? {} : { OCTAVO_TEST_KEY: testKey }),
    ...vars,
  };
}

async function openPlatformLog(options: PlatformOptions, dataDir: string): Promise<OpenLog> {
  const { shape, restarted, log: print } = options;
  const log = shape === 'workers' ? await openThreadedLog(dataDir) : openLog(dataDir);
  if (restarted) log.write('error', `Octavo ${restarted} and was restarted.`);
  for (const warning of await keepDamagedLogs(dataDir)) {
    log.write('error', warning);
    print?.(warning);
  }
  return log;
}

/** Returns the URL at which this machine reaches the server. */
const getLocalUrl = ({ host, port }: { host: string; port: number }): string =>
  `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;

async function boot(options: PlatformOptions, cleanups: Cleanup[]): Promise<Omit<Platform, 'stop'>> {
  const { root, port, host = '127.0.0.1', log = () => undefined } = options;
  const outDir = path.resolve(options.outDir ?? path.join(root, 'build'));
  const dataDir = path.resolve(options.dataDir);
  const manifest = await loadManifest(outDir);

  let operator: Operator | undefined;
  const lock: Lock = await lockDataFolder(dataDir, async (route, body) =>
    operator ? operator.answer(route, body) : createRefusal(503, 'Octavo is starting. Try again in a few seconds.'),
  );
  cleanups.push(() => lock.release());
  const address = port === null ? undefined : { host, port: await claimPort(port, host) };
  const url = address ? getLocalUrl(address) : '';

  const logTo = await openPlatformLog(options, dataDir);
  cleanups.push(() => logTo.close());
  const guard = await guardWorkerd(manifest.runtime.workerd, outDir, dataDir);
  cleanups.push(() => guard.release());
  const vars = await createVars(options, { manifest, dataDir, url });
  const startOptions = { outDir, dataDir, manifest, address, vars, log: logTo, entry: options.entry };
  await startHelpers(startOptions, options, cleanups);
  const begin = options.shape === 'workers' ? startWorkers : startMachine;
  const runtime = await begin({
    ...startOptions,
    launcher: guard.launcher,
    env: guard.env,
    isPrompt: options.testKey !== undefined,
    sendsMail: options.smtpUrl !== undefined,
    onGivenUp: (reason) => {
      logTo.write('error', `The runtime ${reason}. It is not restarted.`);
      options.onGivenUp?.(reason);
    },
    onRestart: async () => {
      log('The runtime stopped unexpectedly and was restarted. See the log.');
      if (operator) await recover(operator, dataDir, logTo);
    },
  });
  cleanups.push(() => runtime.dispose());
  const appliedMigrations = await migrate(runtime.call, manifest.migrations);
  if (appliedMigrations.length > 0) log(`Applied ${appliedMigrations.length} migrations.`);
  operator = createOperator({ call: runtime.call, url: url || null, testKey: options.testKey });
  if (address) await recover(operator, dataDir, logTo);
  if (address) cleanups.push(await scheduleCrons({ manifest, operator, dataDir, log: logTo }));
  cleanups.push(startDiskWatch(options, operator, logTo));
  const check = toCheck(runtime, logTo);
  const { patienceSeconds } = options;
  if (patienceSeconds !== undefined)
    cleanups.push(watchRuntime({ check, kill: guard.kill, patienceSeconds, log: logTo }));
  return { url, operator, dispatchCron: operator.dispatchCron, check };
}

/** Starts all workers of a built workspace in one runtime, with its state in `dataDir`. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const cleanups: Cleanup[] = [];
  try {
    const platform = await boot(options, cleanups);
    let stopped: Promise<void> | undefined;
    return {
      ...platform,
      stop() {
        stopped ??= runCleanups(cleanups);
        return stopped;
      },
    };
  } catch (error) {
    await runCleanups(cleanups);
    throw error;
  }
}
