import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findWorkerd, PlatformError } from '@octavo/platform';
import { type DevFile, readDevFile } from '../dev-file.ts';
import { root } from '../settings.ts';
import { type Api, type ApiRequest, counter, createAuthorization } from './api.ts';

const ASK_EVERY_MS = 5;

/** A server that runs in separate processes. */
interface Child {
  /** The id of its first process, which leads the session of all its processes. */
  pid: number;
  /** Seconds from the start to the first response. */
  started: number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
const folders = new Set<string>();
let interruption: Promise<void> | undefined;

const remove = (folder: string) => rm(folder, { recursive: true, force: true });

/**
 * Stops all servers when this process is interrupted. They run in other sessions, so the terminal ends only this
 * process.
 */
async function interrupt(): Promise<void> {
  await Promise.all([...running].map(stop));
  await Promise.all([...folders].map(remove));
  process.exit(1);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    interruption ??= interrupt();
  });

/** Creates a temporary folder for some work, and deletes it when the work ends or is interrupted. */
export async function withFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-bench-'));
  folders.add(folder);
  try {
    return await work(folder);
  } finally {
    // An interruption stops the servers, so that the work fails. Wait for the interruption, which ends this process.
    await (interruption ?? remove(folder));
    folders.delete(folder);
  }
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Returns the environment of a user who starts a server by hand. It contains the shape of the workers, but no other
 * programs and settings of the workspace.
 */
function createEnvironment(): NodeJS.ProcessEnv {
  const environmentEntries = Object.entries(process.env).filter(
    ([name]) => name === 'OCTAVO_SHAPE' || !/^(OCTAVO_|npm_|PORT$)/.test(name),
  );
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => !folder.startsWith(root));
  return { ...Object.fromEntries(environmentEntries), PATH: folders.join(path.delimiter) };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function stop(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  running.delete(child);
}

/** Starts a server and waits until `isUp` reports that it responds. */
async function startChild(
  [program, ...args]: [string, ...string[]],
  settings: Record<string, string>,
  isUp: () => Promise<boolean>,
): Promise<Child> {
  const began = performance.now();
  const env = { ...createEnvironment(), ...settings };
  const child = spawn(program, args, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4000);
    });
  const failed = once(child, 'error').then(([error]) => {
    throw error;
  });
  for (;;) {
    const isReady = await Promise.race([isUp().catch(() => false), failed]);
    if (hasEnded(child)) throw new PlatformError(`${program} ${args.join(' ')} stopped during startup:\n${printed}`);
    if (isReady) break;
    await delay(ASK_EVERY_MS);
  }
  return { pid: child.pid ?? 0, started: (performance.now() - began) / 1000, stop: () => stop(child) };
}

const createConfig = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "floor", worker = .floor)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "floor")],
);
const floor :Workerd.Worker = (
  modules = [(name = "floor", esModule = "export default { fetch: () => new Response('constant') };")],
  compatibilityDate = "2026-08-01",
);
`;

/** A worker that returns a constant, on the same runtime as Octavo. No server here can be faster. */
export async function startFloor(folder: string): Promise<Child & { api: Api }> {
  const port = await findFreePort();
  const config = path.join(folder, 'floor.capnp');
  await writeFile(config, createConfig(port));
  const url = `http://127.0.0.1:${port}`;
  const isServerUp = async () => (await fetch(url)).ok;
  const child = await startChild([findWorkerd(), 'serve', config], {}, isServerUp);
  return { ...child, api: { url, headers: {} } };
}

export interface OctavoServer extends Child {
  api: Api;
  dev: DevFile;
}

async function isResponding({ url, token }: DevFile, path: string): Promise<boolean> {
  const response = await fetch(`${url}${path}`, { headers: createAuthorization(token) });
  await response.arrayBuffer();
  return response.status === 200;
}

/**
 * Starts Octavo as users do, on a data folder, and waits for the first response to this request. The data must contain
 * the requested object.
 */
export async function startOctavo(
  dataDir: string,
  settings: Record<string, string> = {},
  { path }: Pick<ApiRequest, 'path'> = { path: '/v1/user' },
): Promise<OctavoServer> {
  const runningServer = await readDevFile(dataDir);
  const port = runningServer ? new URL(runningServer.url).port : String(await findFreePort());
  const env = { PORT: port, OCTAVO_DATA: dataDir, OCTAVO_RATE_LIMITS: 'off', ...settings };
  const isServerUp = async () => {
    const dev = runningServer ?? (await readDevFile(dataDir));
    return dev !== undefined && (await isResponding(dev, path.replaceAll(counter, '0')));
  };
  const child = await startChild(['npm', 'start', '--silent', '--', '--empty'], env, isServerUp);
  const dev = await readDevFile(dataDir);
  if (dev === undefined) throw new Error('The server wrote no dev.json.');
  return { ...child, dev, api: { url: dev.url, headers: createAuthorization(dev.token) } };
}
