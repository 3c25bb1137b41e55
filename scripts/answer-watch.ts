import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';

const answersIn = 3;

/**
 * Tells whatever watches over this process (supervise.sh) that the server is up, answers as long as this process lives,
 * and ends the server when that is gone.
 */
export function answerWatch(folder: string, patienceSeconds: number, stop: () => Promise<void>): void {
  const watcher = process.ppid;
  writeFileSync(path.join(folder, 'up'), '');
  const answer = async () => {
    const isLeft = process.ppid !== watcher;
    await rm(isLeft ? folder : path.join(folder, 'asked'), { recursive: isLeft, force: true });
    if (isLeft) await stop();
  };
  setInterval(answer, (patienceSeconds * 1000) / answersIn / 2).unref();
}
