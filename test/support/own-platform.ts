import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serverBundle, serverFlags } from '@octavo/platform';
import { freePort } from './free-port.ts';
import { countingRows, type Server, serverAt } from './platform.ts';

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

/** Starts a script of the workspace, as `npm` would. */
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

/** Runs a script of the workspace to its end, as `npm` would. */
export const runScript = (
  args: string[],
  env: Record<string, string> = {},
  program = process.execPath,
): Promise<Finished> => startScript(args, env, { program }).finished;

/** Calls `probe` until it gives something. */
export async function until<Value>(
  probe: () => Value | undefined | Promise<Value | undefined>,
  limit = WAIT_LIMIT_MS,
): Promise<Value> {
  const deadline = Date.now() + limit;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`What was waited for did not come about in ${limit / 1000} s.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Throws while the file is being written, when it is empty: 0 would stand for the group of the tests. */
function pidIn(dataDir: string, name: string): number {
  const pid = Number(readFileSync(path.join(dataDir, name), 'utf8'));
  if (!(pid > 0)) throw new Error('The runtime is starting.');
  return pid;
}

const runtimeIn = (dataDir: string): number => pidIn(dataDir, `workerd.${pidIn(dataDir, 'octavo.pid')}.pid`);

/** What runs on for a moment when its server is killed, and is told of by a file that then goes. */
function runtimeLeft(dataDir: string): number | undefined {
  try {
    return runtimeIn(dataDir);
  } catch {
    return undefined;
  }
}

async function boot(
  [program, ...args]: [string, ...string[]],
  env: Record<string, string>,
  detached: boolean,
): Promise<Running> {
  const running = startScript([...args, '--empty'], env, { program, detached });
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
   * Signals the process that was started, its workerd, or its whole group, which it has to have of its own; resolves when
   * the process that was started ended, and after SIGKILL also its workerd, or at once for workerd.
   */
  kill(signal: NodeJS.Signals, target?: 'node' | 'workerd' | 'group'): Promise<Finished | undefined>;
  /** Starts again on the same data and port; the process has to be ended before. */
  restart(): Promise<void>;
  /** The server's Node process, which is the one that was started unless another watches over it. */
  serverPid(): Promise<number>;
  workerdPid(): Promise<number>;
  remove(): Promise<void>;
}

interface OwnOptions {
  /** Imports may fetch what stands on loopback. */
  allowsPrivate?: boolean;
  /** Another process watches over the server, as with `npm start`, and waits so many seconds for an answer. */
  patienceSeconds?: number;
  /** It is started by `npm start`, which signals go to. */
  byNpm?: boolean;
  /** OCTAVO_RATE_LIMITS, where a test is about them; else there are none. */
  rateLimits?: string;
  /** What gives tests more than clients get, where it is not the key of the run; nothing does where it is empty. */
  testKey?: string;
  /** Answers also count their rows where they hide what they cost. */
  countsRows?: boolean;
  /** OCTAVO_SITES_URL. */
  sitesUrl?: string;
  /** OCTAVO_PUBLIC_URL, where it is not the one that it listens at. */
  publicUrl?: string;
  /** The header that clients' addresses are believed from. */
  addressHeader?: string;
  /** Its processes are a group that may be killed together. */
  ownGroup?: boolean;
  /** How the workers run, where it is not as the machine's own. */
  shape?: 'machine' | 'workers';
  /** A data folder that it goes on with, and removes in the end; else it makes one. */
  data?: string;
}

function commandOf({ byNpm, patienceSeconds, ...options }: OwnOptions): [string, ...string[]] {
  const shape = options.shape ?? process.env.OCTAVO_SHAPE;
  if (byNpm) return ['npm', 'start', '--silent', '--'];
  if (patienceSeconds !== undefined) return ['sh', 'scripts/supervise.sh'];
  // What scripts/start.ts becomes once it has built, as the run of the tests has.
  if (shape !== 'workers') return [process.execPath, ...serverFlags, `build/${serverBundle}`];
  return [process.execPath, 'scripts/start.ts'];
}

/** Without the workspace's own programs, which come first in a test: npm is to be the one that people have. */
const pathOfUser = () =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.startsWith(root))
    .join(path.delimiter);

/** A server of a test's own, in a process of its own, which the test may kill and restart; `remove` ends it for good. */
export async function ownPlatform(options: OwnOptions = {}): Promise<OwnPlatform> {
  const { allowsPrivate, patienceSeconds, rateLimits = 'off', addressHeader } = options;
  const dataDir = options.data ?? (await mkdtemp(path.join(tmpdir(), 'octavo-own-')));
  const port = await freePort();
  const command = commandOf(options);
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
    ...(options.byNpm ? { PATH: pathOfUser() } : {}),
  };
  const detached = options.ownGroup === true;
  let running = await boot(command, env, detached);
  const dev = JSON.parse(await readFile(path.join(dataDir, 'dev.json'), 'utf8')) as Record<
    'token' | 'organization',
    string
  >;

  const serverPid = async () => pidIn(dataDir, 'octavo.pid');
  const workerdPid = async () => runtimeIn(dataDir);

  async function kill(signal: NodeJS.Signals, target = 'node'): Promise<Finished | undefined> {
    if (target === 'workerd') {
      process.kill(await workerdPid(), signal);
      return undefined;
    }
    const outlives = signal === 'SIGKILL' ? runtimeLeft(dataDir) : undefined;
    if (target === 'group') process.kill(-(running.child.pid ?? 0), signal);
    else running.child.kill(signal);
    const finished = await running.finished;
    await until(() => (outlives !== undefined && isRunning(outlives) ? undefined : true));
    return finished;
  }

  return {
    ...serverAt(`http://127.0.0.1:${port}`, dataDir, options.countsRows ? countingRows() : {}),
    token: dev.token,
    organization: dev.organization,
    port,
    serverPid,
    workerdPid,
    kill,
    printed: () => running.printed(),
    async restart() {
      running = await boot(command, env, detached);
    },
    async remove() {
      if (running.child.exitCode === null && running.child.signalCode === null) await kill('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
