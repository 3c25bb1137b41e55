import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { getLogFile, getOutputPipe } from './data-folder.ts';
import { type OpenLog, toLogEntry } from './log.ts';
import type { LogMessage } from './log-thread.ts';

const run = promisify(execFile);

const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 };

/**
 * Opens the log of a data folder, and the pipe for the output of Miniflare's runtime. A separate thread reads the pipe.
 * If this thread did, a deadlock would be possible: the runtime waits until its output is read while this thread waits
 * for the runtime.
 */
export async function openThreadedLog(dataDir: string): Promise<OpenLog> {
  const output = getOutputPipe(dataDir);
  await rm(output, { force: true });
  await run('mkfifo', ['-m', '600', output]);
  const workerData = { output, file: getLogFile(dataDir) };
  const thread = new Worker(new URL('./log-thread.ts', import.meta.url), { workerData, resourceLimits });
  const post = (message: LogMessage) => thread.postMessage(message);
  await once(thread, 'message');
  return {
    write: (level, message) => post(toLogEntry(level, message)),
    read: () => undefined,
    async close() {
      post(null);
      await once(thread, 'exit');
      await rm(output, { force: true });
    },
  };
}
