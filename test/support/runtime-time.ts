import { readFileSync } from 'node:fs';
import { getLockFile, getRuntimePidFile } from '../../packages/platform/src/data-folder.ts';
import { readUsage } from '../../packages/platform/src/script-host/process-usage.ts';

const pidIn = (file: string) => Number(readFileSync(file, 'utf8'));

const runtimePid = (dataDir: string): number => pidIn(getRuntimePidFile(dataDir, pidIn(getLockFile(dataDir))));

/**
 * Returns the CPU time in milliseconds that the thread which runs all JavaScript has used. A request waits for as much
 * of it as passes until its response, whatever else the machine does.
 */
export function createThreadClock({ dataDir }: { dataDir: string }): () => number {
  const pid = runtimePid(dataDir);
  return () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
}

/**
 * Returns the CPU time in milliseconds that a platform's runtime has used. Other load on the machine is not included.
 */
export function runtimeTime({ dataDir }: { dataDir: string }): number {
  const usage = readUsage(runtimePid(dataDir));
  if (usage === undefined) throw new Error('The runtime of the platform does not run.');
  return usage.cpuMilliseconds;
}
