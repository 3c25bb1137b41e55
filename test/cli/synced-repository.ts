import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { edit, json, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { createTemporaryFolder, octavo, writeTree } from './octavo.ts';

const run = promisify(execFile);

/** A bare repository and a working clone of it. */
export class SyncedRepository {
  readonly bare: string;
  readonly clone: string;

  private constructor(folder: string) {
    this.bare = path.join(folder, 'bare.git');
    this.clone = path.join(folder, 'clone');
  }

  static async make(files: Record<string, string | Buffer>): Promise<SyncedRepository> {
    const repository = new SyncedRepository(await createTemporaryFolder());
    const parent = path.dirname(repository.bare);
    await run('git', ['init', '-q', '--bare', '-b', 'main', repository.bare], { cwd: parent });
    await run('git', ['clone', '-q', repository.bare, repository.clone], { cwd: parent });
    await repository.git('checkout', '-q', '-B', 'main');
    for (const [key, value] of [
      ['user.name', 'Ann'],
      ['user.email', 'ann@example.com'],
    ])
      await repository.git('config', key ?? '', value ?? '');
    await repository.commit(files, 'first');
    return repository;
  }

  async git(...args: string[]): Promise<string> {
    return (await run('git', args, { cwd: this.clone, maxBuffer: 64 * 1024 * 1024 })).stdout;
  }

  /** Writes files, deletes those that are null, and pushes a commit. */
  async commit(files: Record<string, string | Buffer | null>, message: string): Promise<void> {
    for (const [file, text] of Object.entries(files)) {
      if (text === null) await this.git('rm', '-q', '--', file);
      else {
        await mkdir(path.dirname(path.join(this.clone, file)), { recursive: true });
        await writeFile(path.join(this.clone, file), text);
      }
    }
    await this.git('add', '-A');
    await this.git('commit', '-q', '--allow-empty', '-m', message);
    await this.git('push', '-q', 'origin', 'main');
  }

  pull = () => this.git('pull', '-q', '--ff-only');

  /** Pulls and returns the files of the newest commit. */
  async readFiles(): Promise<Record<string, string>> {
    await this.pull();
    const paths = (await this.git('ls-files', '-z')).split('\0').filter(Boolean);
    const texts = await Promise.all(paths.map((file) => readFile(path.join(this.clone, file), 'utf8')));
    return Object.fromEntries(paths.map((file, index) => [file, texts[index] ?? '']));
  }
}

/** Makes a space and a repository to sync with it, and returns functions that change both. */
export async function createSyncedRepository(files: Record<string, string | Buffer>) {
  const space = await platform().makeSpace();
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  const repository = await SyncedRepository.make(files);
  const sync = (folder = repository.bare, ...args: string[]) =>
    octavo(env, 'sync', folder, '--space', space.id, ...args);
  const getSpacePath = (rest: string) => `/v1/spaces/${space.id}${rest}`;
  const readPage = (name: string, point = '') =>
    json<{ id: string; markdown: string }>(getSpacePath(`${point}/content/path/${name}`), space);
  const write = async (name: string, markdown: string) =>
    edit(space, [{ operation: 'update_page', page: (await readPage(name)).id, document: { markdown } }]);
  const listOpenRequests = async () =>
    (await json<{ items: { id: string; number: number; subject: string }[] }>(getSpacePath('/change-requests'), space))
      .items;
  return { space, env, repository, sync, at: getSpacePath, page: readPage, write, held: listOpenRequests };
}

export const ofGit = { 'README.md': '# Home\n\nOf git.\n', 'only-git.md': '# Only git\n', 'src/program.js': 'code\n' };
export const ofSpace = { 'README.md': '# Home\n\nOf Octavo.\n', 'img.gif': 'image' };

/** Makes a repository and a space with different content and no common state. */
export async function createDivergedSides() {
  const world = await createSyncedRepository(ofGit);
  const { env, space, at } = world;
  await octavo(env, 'import', await writeTree(ofSpace), '--space', space.id);
  await makePage(space, 'Only here', 'Text.\n');
  const readRevision = async () => (await json<{ revision: string }>(at(''), space)).revision;
  return { ...world, revision: readRevision };
}
