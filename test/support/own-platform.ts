import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serverBundle, serverFlags } from '@octavo/platform';
import { seed } from '../../scripts/seed.ts';
import { pickFreePort } from './free-port.ts';
import { createCountingHeaders, createServerClient, type Server } from './platform.ts';

const root = path.resolve(import.meta.dirname, '../..');
const WAIT_LIMIT_MS = 80_000;

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

interface Running {
  child: ChildProcess;
  printed(): Omit<Finished, 'code' | 'signal'>;
  finished: Promise<Finished>;
}

/** Starts a workspace script as `npm` would. */
export function startScript(
  args: string[],
  env: Record<string, string>,
  { program = process.execPath, detached = false }: { program?: string; detached?: boolean } = {},
): Running {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      printed[name] += chunk;
    });
  const finished = once(child, 'close').then(([code, signal]) => ({ code, signal, ...printed }));
  return { child, finished, printed: () => ({ ...printed }) };
}

/** Runs a workspace script as `npm` would, and waits until it exits. */
export const runScript = (
  args: string[],
  env: Record<string, string> = {},
  program = process.execPath,
): Promise<Finished> => startScript(args, env, { program }).finished;

/** Calls `probe` until it returns a value, less often the longer it waits, to leave the processor to the server. */
export async function until<Value>(
  probe: () => Value | undefined | Promise<Value | undefined>,
  limit = WAIT_LIMIT_MS,
): Promise<Value> {
  const started = Date.now();
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    const waited = Date.now() - started;
    if (waited > limit) throw new Error(`What was waited for did not come about in ${limit / 1000} s.`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(20, waited / 10), 100)));
  }
}

export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/**
 * Throws while the file is empty, because an empty file would be read as pid 0, which signals the tests' own process
 * group.
 */
function readPid(dataDir: string, name: string): number {
  const pid = Number(readFileSync(path.join(dataDir, name), 'utf8'));
  if (!(pid > 0)) throw new Error('The runtime is starting.');
  return pid;
}

const readRuntimePid = (dataDir: string): number => readPid(dataDir, `workerd.${readPid(dataDir, 'octavo.pid')}.pid`);

/**
 * Returns the pid of the runtime, which may outlive a killed server for a moment. Undefined if the pid file is gone.
 */
function findRemainingRuntime(dataDir: string): number | undefined {
  try {
    return readRuntimePid(dataDir);
  } catch {
    return undefined;
  }
}

async function boot(
  [program, ...args]: [string, ...string[]],
  content: '--empty' | '--bare',
  env: Record<string, string>,
  detached: boolean,
): Promise<Running> {
  const running = startScript([...args, content], env, { program, detached });
  let end: Finished | undefined;
  void running.finished.then((finished) => {
    end = finished;
  });
  await until(() => {
    if (end) throw new Error(`The server did not start:\n${end.stdout}${end.stderr}`);
    return running.printed().stdout.includes('Octavo is ready') || undefined;
  });
  return running;
}

export interface OwnPlatform extends Server {
  token: string;
  organization: string;
  port: number;
  printed(): Omit<Finished, 'code' | 'signal'>;
  /**
   * Signals the started process, its workerd, or its whole process group, which requires `ownGroup`. Resolves when the
   * started process and its workerd have exited, or at once if the target is workerd. The exit of workerd is
   * awaited only if its pid file exists before the signal.
   */
  kill(signal: NodeJS.Signals, target?: 'node' | 'workerd' | 'group'): Promise<Finished | undefined>;
  /** Starts the platform again with the same data and port. The process must have exited before. */
  restart(): Promise<void>;
  /** The pid of the server's Node process. It is the started process unless a supervisor runs the server. */
  getServerPid(): Promise<number>;
  getWorkerdPid(): Promise<number>;
  remove(): Promise<void>;
}

interface OwnOptions {
  /** Imports may fetch from loopback addresses. */
  allowsPrivate?: boolean;
  /** Runs the server under the supervisor, as `npm start` does, with this timeout for health checks in seconds. */
  patienceSeconds?: number;
  /**
   * Lets the server create the first account and organization, as `npm start` does. By default they are created here,
   * which saves a process.
   */
  seedsItself?: boolean;
  /** Starts the platform with `npm start`. Signals are sent to npm. */
  byNpm?: boolean;
  /** The value of OCTAVO_RATE_LIMITS. Off by default. */
  rateLimits?: string;
  /**
   * The key that makes responses contain data for tests. Defaults to the key of the test run; an empty key disables it.
   */
  testKey?: string;
  /** Makes responses include row counts even if they would normally hide their cost. */
  countsRows?: boolean;
  /** The value of OCTAVO_SITES_URL. */
  sitesUrl?: string;
  /** The value of OCTAVO_PUBLIC_URL, if it differs from the address that the server listens on. */
  publicUrl?: string;
  /** The trusted header with the client's IP address. */
  addressHeader?: string;
  /** Runs the platform in a process group of its own, which can be killed as a whole. */
  ownGroup?: boolean;
  /** Runs all workers in one isolate, or each in its own. Defaults to OCTAVO_SHAPE. */
  shape?: 'machine' | 'workers';
  /** More variables of the server's environment. */
  env?: Record<string, string>;
  /** An existing data folder. It is removed at the end. By default a new one is created. */
  data?: string;
}

function getCommand({ byNpm, patienceSeconds, ...options }: OwnOptions): [string, ...string[]] {
  const shape = options.shape ?? process.env.OCTAVO_SHAPE;
  if (byNpm) return ['npm', 'start', '--silent', '--'];
  if (patienceSeconds !== undefined) return ['sh', 'scripts/supervise.sh'];
  // scripts/start.ts runs this command after it has built the bundle, which the test run has already done.
  if (shape !== 'workers') return [process.execPath, ...serverFlags, `build/${serverBundle}`];
  return [process.execPath, 'scripts/start.ts'];
}

/** Returns PATH without the workspace's own programs, which come first in a test, so that `npm` is the system's. */
const createUserPath = () =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.startsWith(root))
    .join(path.delimiter);

/** Starts a separate server process that a test may kill and restart. `remove` stops it and deletes its data. */
export async function startOwnPlatform(options: OwnOptions = {}): Promise<OwnPlatform> {
  const { allowsPrivate, patienceSeconds, rateLimits = 'off', addressHeader } = options;
  const dataDir = options.data ?? (await mkdtemp(path.join(tmpdir(), 'octavo-own-')));
  const port = await pickFreePort();
  const command = getCommand(options);
  const env: Record<string, string> = {
    OCTAVO_DATA: dataDir,
    PORT: String(port),
    ...(patienceSeconds === undefined ? {} : { OCTAVO_PATIENCE_SECONDS: String(patienceSeconds) }),
    ...(allowsPrivate ? { OCTAVO_IMPORT_ALLOW_PRIVATE: '1' } : {}),
    ...(addressHeader === undefined ? {} : { OCTAVO_CLIENT_ADDRESS_HEADER: addressHeader }),
    ...(options.sitesUrl === undefined ? {} : { OCTAVO_SITES_URL: options.sitesUrl }),
    ...(options.publicUrl === undefined ? {} : { OCTAVO_PUBLIC_URL: options.publicUrl }),
    OCTAVO_RATE_LIMITS: rateLimits,
    ...(options.testKey === undefined ? {} : { OCTAVO_TEST_KEY: options.testKey }),
    ...(options.shape === undefined ? {} : { OCTAVO_SHAPE: options.shape }),
    ...(options.byNpm ? { PATH: createUserPath() } : {}),
    ...options.env,
  };
  const detached = options.ownGroup === true;
  let running = await boot(command, options.seedsItself ? '--empty' : '--bare', env, detached);
  const url = `http://127.0.0.1:${port}`;
  if (!options.seedsItself) await seed({ dataDir, url, isEmpty: true, onProgress: () => undefined });
  const dev = JSON.parse(await readFile(path.join(dataDir, 'dev.json'), 'utf8')) as Record<
    'token' | 'organization',
    string
  >;

  const getServerPid = async () => readPid(dataDir, 'octavo.pid');
  const getWorkerdPid = async () => readRuntimePid(dataDir);

  async function kill(signal: NodeJS.Signals, target = 'node'): Promise<Finished | undefined> {
    if (target === 'workerd') {
      process.kill(await getWorkerdPid(), signal);
      return undefined;
    }
    const outlives = findRemainingRuntime(dataDir);
    if (target === 'group') process.kill(-(running.child.pid ?? 0), signal);
    else running.child.kill(signal);
    const finished = await running.finished;
    await until(() => (outlives !== undefined && isRunning(outlives) ? undefined : true));
    return finished;
  }

  return {
    ...createServerClient(url, dataDir, options.countsRows ? createCountingHeaders() : {}),
    token: dev.token,
    organization: dev.organization,
    port,
    getServerPid,
    getWorkerdPid,
    kill,
    printed: () => running.printed(),
    async restart() {
      running = await boot(command, '--empty', env, detached);
    },
    async remove() {
      if (running.child.exitCode === null && running.child.signalCode === null) await kill('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
