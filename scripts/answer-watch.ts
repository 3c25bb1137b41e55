import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const answersWithin = 6;

/**
 * Reports to a supervising process (supervise.sh) that the server is up, responds as long as this process lives, and
 * stops the server when the supervisor has ended.
 */
export async function respondToWatch(
  folder: string,
  patienceSeconds: number,
  stop: () => Promise<void>,
): Promise<void> {
  const watcher = Number(process.env.OCTAVO_WATCHER);
  const respond = async () => {
    // Tools that clean temporary folders of old files must not delete this one.
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
  setInterval(() => checkSupervisor().catch(logFailure), (patienceSeconds * 1000) / answersWithin).unref();
}
