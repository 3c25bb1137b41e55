import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, realpath, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

export interface Release {
  version: string;
  commit: string;
}

/** The releases, oldest first. */
export const releases: Release[] = JSON.parse(readFileSync(path.join(root, 'releases.json'), 'utf8'));

export function getPreviousRelease(): Release {
  const release = releases.at(-1);
  if (release === undefined) throw new Error('releases.json lists no release.');
  return release;
}

/** The files and folders that a release is built from. */
const sources = ['packages', 'workers', 'scripts', 'migrations', 'wrangler.toml', 'pnpm-lock.yaml', 'package.json'];
const typeSettings = ['tsconfig.json', 'tsconfig.base.json', 'tsconfig.worker.json', 'tsconfig.browser.json'];

/** Extracts the sources of a commit from the git history. */
async function extractSources(commit: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const archive = `${folder}.tar`;
  await run('git', ['archive', '--output', archive, commit, '--', ...sources, ...typeSettings], { cwd: root });
  await run('tar', ['-xf', archive, '-C', folder]);
  await rm(archive);
}

/**
 * Makes the installed packages available to the sources of a release. Links between packages of the workspace are
 * relative, so that they point to packages of the release.
 */
async function linkPackages(folder: string): Promise<void> {
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  for (const member of [...(await listMembers(folder)), 'scripts']) {
    const modules = path.join(root, member, 'node_modules');
    const options = { recursive: true, verbatimSymlinks: true };
    if (existsSync(modules)) await cp(modules, path.join(folder, member, 'node_modules'), options);
  }
  await linkMovedPackages(folder);
}

async function listMembers(folder: string): Promise<string[]> {
  const parents = ['packages', 'workers'].map(async (parent) =>
    (await readdir(path.join(folder, parent))).map((name) => path.join(parent, name)),
  );
  return (await Promise.all(parents)).flat();
}

/** Links packages that a member of the release imports, but that only other members import in the current version. */
async function linkMovedPackages(folder: string): Promise<void> {
  const current = await listMembers(root);
  for (const member of await listMembers(folder)) {
    const { dependencies = {} } = JSON.parse(readFileSync(path.join(folder, member, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies)) {
      const link = path.join(folder, member, 'node_modules', name);
      const packagePath = current.map((each) => path.join(root, each, 'node_modules', name)).find(existsSync);
      if (existsSync(link) || packagePath === undefined) continue;
      const target = await realpath(packagePath);
      const isOfWorkspace = name.startsWith('@octavo/');
      await mkdir(path.dirname(link), { recursive: true });
      await symlink(isOfWorkspace ? path.join(folder, path.relative(root, target)) : target, link);
    }
  }
}

/**
 * Builds a release from the git history, unless it is built already. Returns the folder with its sources and its `build`
 * folder.
 * @throws Error if the history does not contain the release
 */
export async function buildRelease({ version, commit }: Release): Promise<string> {
  const hasCommit = () => run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root });
  // A shallow clone does not contain the commit, but can fetch it.
  const fetchCommit = () => run('git', ['fetch', '--quiet', '--depth=1', 'origin', commit], { cwd: root });
  await hasCommit()
    .catch(fetchCommit)
    .catch(() => {
      throw new Error(
        `The git history does not contain ${commit}, the commit of release ${version} in releases.json. In a shallow clone, run: git fetch --unshallow`,
      );
    });
  const folder = path.join(root, 'build/releases', commit);
  if (existsSync(path.join(folder, 'build/manifest.json'))) return folder;
  await extractSources(commit, folder);
  await linkPackages(folder);
  await run(process.execPath, ['scripts/build.ts'], { cwd: folder });
  return folder;
}
