import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { type BackUpOptions, backUp } from './back-up.ts';

/** The name of a backup in a series: its time in UTC. */
const backupName = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;

const createName = (time: Date): string => time.toISOString().replace(/[:.]/g, '-');

/** Returns the backups of a series, oldest first. */
export async function listBackups(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => backupName.test(name))
    .sort()
    .map((name) => path.join(folder, name));
}

interface SeriesOptions extends Pick<BackUpOptions, 'withoutSecrets'> {
  /** The number of backups to keep. Older ones are deleted after a new one was verified. */
  keep: number;
}

/** Adds a backup to a series in a folder, and deletes the oldest backups beyond `keep`. */
export async function addBackup(dataDir: string, folder: string, { keep, withoutSecrets = false }: SeriesOptions) {
  const earlier = await listBackups(folder);
  const target = path.join(folder, createName(new Date()));
  const report = await backUp(dataDir, target, { previous: earlier.at(-1), withoutSecrets });
  const outdated = [...earlier, target].slice(0, -keep);
  for (const backup of outdated) await rm(backup, { recursive: true });
  return { ...report, target, deleted: outdated.length };
}
