import { readFileSync } from 'node:fs';
import { getLockFile, getRuntimePidFile } from '../../packages/platform/src/data-folder.ts';
import { readUsage } from '../../packages/platform/src/script-host/process-usage.ts';

const pidIn = (file: string) => Number(readFileSync(file, 'utf8'));

/**
 * Returns the CPU time in milliseconds that a platform's runtime has used. Other load on the machine is not included.
 */
export function runtimeTime({ dataDir }: { dataDir: string }): number {
  const usage = readUsage(pidIn(getRuntimePidFile(dataDir, pidIn(getLockFile(dataDir)))));
  if (usage === undefined) throw new Error('The runtime of the platform does not run.');
  return usage.cpuMilliseconds;
}
