import { readFileSync } from 'node:fs';
import { lockFile, runtimePidFile } from '../../packages/platform/src/data-folder.ts';
import { usageOf } from '../../packages/platform/src/script-host/process-usage.ts';

const pidIn = (file: string) => Number(readFileSync(file, 'utf8'));

/** Milliseconds of a processor that the runtime of a platform has taken so far: what else the machine does is not in it. */
export function runtimeTime({ dataDir }: { dataDir: string }): number {
  const usage = usageOf(pidIn(runtimePidFile(dataDir, pidIn(lockFile(dataDir)))));
  if (usage === undefined) throw new Error('The runtime of the platform does not run.');
  return usage.cpuMilliseconds;
}
