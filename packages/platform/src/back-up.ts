import { constants } from 'node:fs';
import { access, copyFile, link, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { removeSecrets, verifyBackup } from './backup-databases.ts';
import { getCronRecordFile, getDevFile, getPreviousSecretFile, getSecretFile, getStateFolder } from './data-folder.ts';
import { getErrorCode, PlatformError } from './platform-error.ts';

const PAGES_PER_STEP = 2000;

/** Files that are not copied: state that the runtime recreates, and database logs, which the snapshots include. */
const excludedFiles = /^(?:cache|ratelimit)[/\\]|\.sqlite-(?:wal|shm|journal)$/;
const isDatabase = (file: string): boolean => file.endsWith('.sqlite');

interface BackupReport {
  files: number;
  bytes: number;
}

/** Lists the files of the state to copy, relative to its folder. */
async function listStateFiles(state: string): Promise<string[]> {
  const entries = await readdir(state, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => path.relative(state, path.join(parentPath, name)))
    .filter((file) => !excludedFiles.test(file));
}

/** Opens a consistent snapshot of a database, which lasts until it is closed and does not block writers. */
function openSnapshot(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  database.exec('BEGIN');
  database.prepare('SELECT count(*) FROM sqlite_schema').get();
  return database;
}

/** Opens snapshots of the databases of one kind of state, such as `d1`. */
async function openSnapshots(state: string, kind: string, databases: Map<string, DatabaseSync>): Promise<void> {
  const files = (await listStateFiles(state)).filter((file) => file.startsWith(kind + path.sep) && isDatabase(file));
  for (const file of files) databases.set(file, openSnapshot(path.join(state, file)));
}

async function copySnapshot(snapshot: DatabaseSync, target: string): Promise<void> {
  try {
    await backup(snapshot, target, { rate: PAGES_PER_STEP });
  } finally {
    snapshot.close();
  }
}

/** Copies a file, unless it was deleted in the meantime. */
async function copyIfExists(source: string, target: string): Promise<void> {
  try {
    await copyFile(source, target, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
  }
}

/** Whether a file holds the bytes of an object. They never change, so backups on the same disk share the file. */
const isImmutable = (file: string): boolean => file.split(path.sep).includes('blobs');

/** Copies a file of the state, or links it to its copy in the previous backup. */
async function copyStateFile(state: string, target: string, file: string, previous: string | undefined): Promise<void> {
  const copy = path.join(target, file);
  const isLinked =
    previous !== undefined &&
    isImmutable(file) &&
    (await link(path.join(previous, file), copy).then(
      () => true,
      () => false,
    ));
  if (!isLinked) await copyIfExists(path.join(state, file), copy);
}

async function copyState(state: string, target: string, previous: string | undefined): Promise<void> {
  const databases = new Map<string, DatabaseSync>();
  try {
    // Objects are stored before the database refers to them, and deleted after the database no longer does. So the
    // snapshots are opened in this order: the database, the records of stored objects, the bytes. Databases can be
    // large, so they are copied last, from their open snapshots.
    await openSnapshots(state, 'd1', databases);
    await openSnapshots(state, 'r2', databases);
    const files = await listStateFiles(state);
    for (const file of files) await mkdir(path.dirname(path.join(target, file)), { recursive: true, mode: 0o700 });
    for (const file of files.filter((each) => !isDatabase(each))) await copyStateFile(state, target, file, previous);
    for (const file of files.filter(isDatabase))
      await copySnapshot(databases.get(file) ?? openSnapshot(path.join(state, file)), path.join(target, file));
  } finally {
    for (const each of databases.values()) if (each.isOpen) each.close();
  }
}

async function measureFolder(folder: string): Promise<BackupReport> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(file.parentPath, file.name))).size));
  return { files: files.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

const isExistingFile = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

async function refuseTarget(state: string, target: string): Promise<void> {
  if (!(await isExistingFile(state)))
    throw new PlatformError(`${path.dirname(state)} contains no Octavo data. Set OCTAVO_DATA to your data folder.`);
  if (await isExistingFile(target))
    throw new PlatformError(`${target} already exists. Choose a folder that does not exist.`);
  if (!path.relative(state, target).startsWith('..'))
    throw new PlatformError(`${target} is inside the data folder. Choose a folder outside of it.`);
}

export interface BackUpOptions {
  /** An earlier backup on the same disk. Its copies of files that never change are shared. */
  previous?: string | undefined;
  /** Whether the backup leaves out the secret of the installation, and all tokens. */
  withoutSecrets?: boolean;
}

/**
 * Copies the data of an installation, which may be running, to a new data folder. The copy contains everything that was
 * acknowledged before it started, without the log and the mails. Data that is permanently deleted meanwhile may be
 * copied in part. The copy is verified.
 */
export async function backUp(
  dataDir: string,
  target: string,
  { previous, withoutSecrets = false }: BackUpOptions = {},
): Promise<BackupReport> {
  const state = getStateFolder(dataDir);
  await refuseTarget(state, target);
  await mkdir(path.dirname(target), { recursive: true });
  const draft = await mkdtemp(`${target}.`);
  try {
    await copyState(state, getStateFolder(draft), previous === undefined ? undefined : getStateFolder(previous));
    const secrets = withoutSecrets ? [] : [getSecretFile, getPreviousSecretFile, getDevFile];
    for (const file of [...secrets, getCronRecordFile]) await copyIfExists(file(dataDir), file(draft));
    if (withoutSecrets) await removeSecrets(draft);
    await verifyBackup(draft);
    const backedUp = await measureFolder(draft);
    await rename(draft, target);
    return backedUp;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}
