import { readFileSync } from 'node:fs';
import { getLockFile, getRuntimePidFile } from '../../packages/platform/src/data-folder.ts';
import { readUsage } from '../../packages/platform/src/process-usage.ts';

const readPid = (file: string) => Number(readFileSync(file, 'utf8'));

const readRuntimePid = (dataDir: string): number => readPid(getRuntimePidFile(dataDir, readPid(getLockFile(dataDir))));

/** Returns how long a thread has waited for a CPU, in milliseconds. */
const readDelay = (thread: string): number =>
  Number(readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ', 2)[1]) / 1e6;

/**
 * Returns a clock in milliseconds that does not count the time in which two threads wait for a CPU: this thread, and
 * the server thread that runs all JavaScript. Therefore other programs on the machine do not affect measured durations.
 */
export function createUndisturbedClock({ dataDir }: { dataDir: string }): () => number {
  const pid = readRuntimePid(dataDir);
  return () => performance.now() - readDelay(`${pid}/task/${pid}`) - readDelay('thread-self');
}

/**
 * Returns the CPU time in milliseconds that a platform's runtime has used. Other load on the machine is not included.
 */
export function measureRuntimeTime({ dataDir }: { dataDir: string }): number {
  const usage = readUsage(readRuntimePid(dataDir));
  if (usage === undefined) throw new Error('The runtime of the platform does not run.');
  return usage.cpuMilliseconds;
}
