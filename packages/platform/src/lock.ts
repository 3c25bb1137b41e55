import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getLockFile, getOperatorSocket, getRuntimePidFile, makeDataFolder } from './data-folder.ts';
import { type OperatorHandler, serveOperator } from './operator.ts';
import { isNotRunningError, sendToOperator } from './operator-client.ts';
import { getErrorCode, PlatformError } from './platform-error.ts';
import { readProcessName } from './process-info.ts';

const ORPHAN_PATIENCE_MS = 3000;

async function readPid(file: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  return pid > 0 ? pid : undefined;
}

async function refuseSecondServer(dataDir: string): Promise<void> {
  try {
    const { pid, url } = await sendToOperator(dataDir, '/health');
    const location = url ? ` at ${url}` : '';
    throw new PlatformError(
      `Octavo is already running on the data folder ${dataDir} (process ${pid}${location}). Stop it, or choose ` +
        'another folder with OCTAVO_DATA.',
    );
  } catch (error) {
    if (!isNotRunningError(error)) throw error;
  }
}

async function findOrphan(dataDir: string): Promise<number | undefined> {
  const earlier = await readPid(getLockFile(dataDir));
  const pid = earlier && (await readPid(getRuntimePidFile(dataDir, earlier)));
  if (!pid) return undefined;
  const name = await readProcessName(pid);
  return name?.includes('workerd') ? pid : undefined;
}

// When a server is killed, its watchdog ends workerd within milliseconds. A workerd that runs longer is an orphan.
async function checkForOrphan(dataDir: string): Promise<void> {
  const deadline = Date.now() + ORPHAN_PATIENCE_MS;
  let pid = await findOrphan(dataDir);
  while (pid !== undefined && Date.now() < deadline) {
    await delay(50);
    pid = await findOrphan(dataDir);
  }
  if (pid === undefined) return;
  throw new PlatformError(
    `A previous Octavo on the data folder ${dataDir} was killed, but its runtime, process ${pid} (workerd), is ` +
      `still running. Stop it with: kill -9 ${pid}`,
  );
}

export interface Lock {
  release(): Promise<void>;
}

/**
 * Locks the data folder for this process. The open socket is the lock: when the process ends, the lock is released,
 * even if files remain.
 */
export async function lockDataFolder(dataDir: string, handle: OperatorHandler): Promise<Lock> {
  await makeDataFolder(dataDir);
  await refuseSecondServer(dataDir);
  await checkForOrphan(dataDir);
  const earlier = await readPid(getLockFile(dataDir));
  if (earlier) await rm(getRuntimePidFile(dataDir, earlier), { force: true });
  await rm(getOperatorSocket(dataDir), { force: true });
  const server = await listen(dataDir, handle);
  await writeFile(getLockFile(dataDir), `${process.pid}\n`);
  return {
    async release() {
      await rm(getLockFile(dataDir), { force: true });
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(dataDir: string, handle: OperatorHandler): Promise<Server> {
  try {
    return await serveOperator(dataDir, handle);
  } catch (error) {
    if (getErrorCode(error) !== 'EADDRINUSE') throw error;
    throw new PlatformError(`Another process is starting Octavo on the data folder ${dataDir}.`);
  }
}
