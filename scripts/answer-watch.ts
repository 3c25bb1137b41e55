import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const checksPerTimeout = 6;

/**
 * Reports to a supervising process (supervise.sh) that the server is up, and responds to its checks as long as this
 * process lives. Stops the server when the supervisor has ended.
 */
export async function respondToWatch(
  folder: string,
  patienceSeconds: number,
  stop: () => Promise<void>,
): Promise<void> {
  const watcher = Number(process.env.OCTAVO_WATCHER);
  const respond = async () => {
    // Write the file again, so that tools which delete old temporary files do not delete it.
    await writeFile(path.join(folder, 'up'), '');
    await rm(path.join(folder, 'asked'), { force: true });
  };
  const checkSupervisor = async () => {
    if (process.ppid === watcher) return respond();
    await rm(folder, { recursive: true, force: true });
    await stop();
  };
  await respond();
  const logFailure = (error: unknown) =>
    console.error(`The state of Octavo could not be reported to the supervisor: ${error}`);
  setInterval(() => checkSupervisor().catch(logFailure), (patienceSeconds * 1000) / checksPerTimeout).unref();
}
