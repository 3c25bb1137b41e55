import { access, cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { verifyBackup } from './backup-databases.ts';
import { listBackups } from './backup-series.ts';
import { getStateFolder } from './data-folder.ts';
import { isNotRunningError, sendToOperator } from './operator-client.ts';
import { PlatformError } from './platform-error.ts';

const isExistingFile = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** @throws PlatformError if a server uses the data folder */
export async function requireStopped(dataDir: string): Promise<void> {
  const isRunning = await sendToOperator(dataDir, '/health').then(
    () => true,
    (error: unknown) => {
      if (isNotRunningError(error)) return false;
      throw error;
    },
  );
  if (isRunning) throw new PlatformError(`Octavo is running on the data folder ${dataDir}. Stop it first.`);
}

/** Returns the backup in a folder: the folder itself, or the newest of a series. */
async function findBackup(folder: string): Promise<string> {
  if (await isExistingFile(getStateFolder(folder))) return folder;
  const newest = (await listBackups(folder)).at(-1);
  if (newest === undefined) throw new PlatformError(`${folder} contains no backup.`);
  return newest;
}

/** Returns the folder to which a restore moves the former data. It exists until the next restore. */
export const getFormerFolder = (dataDir: string): string => `${dataDir}.former`;

/** Replaces the data folder. The former data folder, if there is one, becomes `<data folder>.former`. */
async function replaceData(dataDir: string, replacement: string): Promise<void> {
  const former = getFormerFolder(dataDir);
  if (await isExistingFile(dataDir)) {
    await rm(former, { recursive: true, force: true });
    await rename(dataDir, former);
  }
  await rename(replacement, dataDir);
}

/** Copies a backup into the data folder while the server is stopped. Returns the folder of the backup. */
export async function restore(dataDir: string, folder: string): Promise<string> {
  await requireStopped(dataDir);
  const backup = await findBackup(folder);
  await verifyBackup(backup);
  const draft = await mkdtemp(`${dataDir}.`);
  try {
    for (const name of await readdir(backup))
      await cp(path.join(backup, name), path.join(draft, name), { recursive: true, mode: 0 });
    await replaceData(dataDir, draft);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  return backup;
}

/** Restores the data from before the last restore. The replaced data becomes the former data. */
export async function undoRestore(dataDir: string): Promise<void> {
  await requireStopped(dataDir);
  const former = getFormerFolder(dataDir);
  if (!(await isExistingFile(getStateFolder(former)))) throw new PlatformError(`There is no former data in ${former}.`);
  const draft = `${dataDir}.undone`;
  await rename(former, draft);
  await replaceData(dataDir, draft);
}
