import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { backUp } from './back-up.ts';
import { writeAtomically } from './data-folder.ts';
import { PlatformError } from './platform-error.ts';
import { requireStopped, restore } from './restore.ts';

const run = promisify(execFile);

interface UpgradeOptions {
  /** The git work tree of the installation. */
  root: string;
  dataDir: string;
  /** Reports each step. */
  report(step: string): void;
}

const getBackupFolder = (dataDir: string): string => `${dataDir}.before-upgrade`;
const getRecordFile = (dataDir: string): string => `${getBackupFolder(dataDir)}.json`;

/** Runs git in the work tree. @throws PlatformError with the message of git */
async function runGit(root: string, ...args: string[]): Promise<string> {
  try {
    return (await run('git', args, { cwd: root })).stdout.trim();
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw new PlatformError(`git ${args[0]} failed: ${output}`);
  }
}

const describeCommit = (root: string): Promise<string> => runGit(root, 'describe', '--always', '--tags');

async function requireCleanTree(root: string): Promise<void> {
  const changes = await runGit(root, 'status', '--porcelain', '--untracked-files=no');
  if (changes !== '') throw new PlatformError(`${root} has local changes. Undo or commit them first:\n${changes}`);
}

/** Installs and builds the version in the work tree, applies its migrations and checks the data with it. */
async function prepareVersion({ root, dataDir }: UpgradeOptions): Promise<boolean> {
  const args = [path.join(root, 'scripts/bootstrap.mjs'), 'packages/cli/src/main.ts', 'doctor', '--data'];
  const env = { ...process.env, OCTAVO_DATA: dataDir };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  return code === 0;
}

/** Goes back to a commit and to the data from before the upgrade. */
async function checkOutCommit({ root, dataDir }: UpgradeOptions, commit: string): Promise<void> {
  await runGit(root, 'checkout', '--quiet', '--detach', commit);
  await restore(dataDir, getBackupFolder(dataDir));
}

/**
 * Changes the stopped installation to another version. Backs up the data first. If the new version cannot be built, or
 * cannot migrate or read the data, the former version and the data are restored.
 */
export async function upgrade(options: UpgradeOptions, version: string): Promise<void> {
  const { root, dataDir, report } = options;
  await requireStopped(dataDir);
  await requireCleanTree(root);
  const former = await runGit(root, 'rev-parse', 'HEAD');
  const formerName = await describeCommit(root);
  if ((await runGit(root, 'remote')) !== '') await runGit(root, 'fetch', '--quiet', '--tags');
  const target = await runGit(root, 'rev-parse', '--verify', `${version}^{commit}`);
  const folder = getBackupFolder(dataDir);
  await rm(folder, { recursive: true, force: true });
  await backUp(dataDir, folder);
  await writeAtomically(getRecordFile(dataDir), JSON.stringify({ commit: former }), 0o600);
  report(`Backed up the data to ${folder}.`);
  await runGit(root, 'checkout', '--quiet', '--detach', target);
  report(`Changed from ${formerName} to ${await describeCommit(root)}. Preparing it.`);
  if (await prepareVersion(options)) return;
  await checkOutCommit(options, former);
  throw new PlatformError(`The new version could not be used, see above. ${formerName} and its data were restored.`);
}

/** Goes back to the version and the data from before the last upgrade. Later changes stay in the former data folder. */
export async function rollBack(options: UpgradeOptions): Promise<void> {
  const { root, dataDir, report } = options;
  await requireStopped(dataDir);
  await requireCleanTree(root);
  const record = await readFile(getRecordFile(dataDir), 'utf8').catch(() => undefined);
  if (record === undefined) throw new PlatformError(`There was no upgrade of the data folder ${dataDir}.`);
  const { commit } = JSON.parse(record) as { commit: string };
  await checkOutCommit(options, commit);
  report(`Went back to ${await describeCommit(root)} and its data.`);
}
