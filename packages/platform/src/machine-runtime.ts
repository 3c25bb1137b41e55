import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { getLogFile, getMailFolder, getRuntimeConfigFile, getRuntimeSocket, writeAtomically } from './data-folder.ts';
import { getBucketFolder } from './machine-buckets.ts';
import { createMachineConfig, createWiring, getDatabaseFolder } from './machine-config.ts';
import { splitWorkers } from './manifest.ts';
import type { CallWorker } from './operator.ts';
import { createOperatorKey, OPERATOR_KEY_HEADER } from './operator-worker.ts';
import { PlatformError } from './platform-error.ts';
import type { Runtime, RuntimeOptions } from './runtime.ts';
import { createRestartLimit } from './workerd-process.ts';

/** Writes the runtime's configuration into the data folder. It contains the secret, so only the owner may read it. */
async function writeConfig(options: RuntimeOptions, operatorKey: string): Promise<string> {
  const { outDir, dataDir, address, vars, entry } = options;
  const { manifest, machine } = splitWorkers(options.manifest);
  const { isPrompt, sendsMail } = options;
  const wiring = createWiring({ manifest, vars, operatorKey, isPrompt, sendsMail });
  const allowsPrivate = vars.OCTAVO_IMPORT_ALLOW_PRIVATE === '1';
  const file = getRuntimeConfigFile(dataDir);
  await writeAtomically(
    file,
    createMachineConfig({ outDir, dataDir, manifest, wiring, machine, address, allowsPrivate, entry }),
    0o600,
  );
  return file;
}

/** Calls the operator's worker. Calls wait while the runtime restarts. */
const createOperatorCall =
  (dataDir: string, key: string, whenReady: () => Promise<void>): CallWorker =>
  async (route, body) => {
    await whenReady();
    return new Promise((resolve, reject) => {
      const headers = { [OPERATOR_KEY_HEADER]: key, 'content-type': 'application/json' };
      const options = { socketPath: getRuntimeSocket(dataDir), path: route, method: 'POST', headers };
      const call = request(options, async (response) => {
        try {
          let text = '';
          for await (const chunk of response.setEncoding('utf8')) text += chunk;
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
        } catch (error) {
          reject(error);
        }
      });
      call.on('error', reject);
      call.end(JSON.stringify(body));
    });
  };

/** Resolves when the runtime reports that it listens on all its sockets, and rejects if it ends before that. */
async function waitUntilListening(child: ChildProcess, sockets: number): Promise<void> {
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`workerd stopped (${signal ?? `exit code ${code}`}).`);
  });
  const listeningCount = (async () => {
    let heard = 0;
    for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
      if ((JSON.parse(line) as { event: string }).event === 'listen') heard += 1;
      if (heard === sockets) return;
    }
    await ended;
  })();
  await Promise.race([listeningCount, ended]);
}

function spawnRuntime({ launcher, env, log }: RuntimeOptions, config: string): ChildProcess {
  const child = spawn(launcher, ['serve', '--experimental', '-I/', '--control-fd=3', config], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  for (const output of [child.stdout, child.stderr]) if (output !== null) log.read(output);
  return child;
}

/**
 * Runs all workers in one isolate of a runtime process. Starts the process, and restarts it if it ends unexpectedly.
 */
export async function startMachine(options: RuntimeOptions): Promise<Runtime> {
  const { dataDir, log, onRestart, onGivenUp } = options;
  const key = createOperatorKey();
  for (const folder of [getDatabaseFolder(dataDir), getBucketFolder(dataDir), getMailFolder(dataDir)])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  const config = await writeConfig(options, key);
  const isTooOften = createRestartLimit();
  let isStopping = false;
  let child: ChildProcess | undefined;
  let ready: Promise<void>;

  async function start(): Promise<void> {
    await rm(path.resolve(getRuntimeSocket(dataDir)), { force: true });
    if (isStopping) return;
    const started = spawnRuntime(options, config);
    child = started;
    let isUp = false;
    started.once('exit', (code, signal) => isUp && restart(`${signal ?? `exit code ${code}`}`));
    await waitUntilListening(started, options.address === undefined ? 1 : 2);
    isUp = true;
  }

  async function restart(reason: string): Promise<void> {
    if (isStopping) return;
    log.write('error', `The runtime stopped unexpectedly (${reason}).`);
    if (isTooOften()) return onGivenUp('stopped too many times');
    try {
      ready = start();
      await ready;
      await onRestart();
    } catch (error) {
      if (!isStopping) onGivenUp(`could not be restarted: ${error}`);
    }
  }

  ready = start();
  await ready.catch((error: Error) => {
    throw new PlatformError(`The runtime could not be started: ${error.message} See the log: ${getLogFile(dataDir)}.`);
  });
  return {
    call: createOperatorCall(dataDir, key, () => ready),
    async dispose() {
      isStopping = true;
      await endProcess(child);
      // The runtime may be restarting. Wait until it has started, and end it too.
      await ready.catch(() => undefined);
      await endProcess(child);
    },
  };
}

/** Ends a process and waits until all its output is read. */
async function endProcess(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}
