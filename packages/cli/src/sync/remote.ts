import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { Failure } from '../failure.ts';
import { git, gitText, runGit, withoutCredentials } from './git.ts';
import { requireCommitted } from './work-tree.ts';

/** What both sides have in common: a commit, and the revision of the space that holds the same. */
const SyncState = z.object({
  commit: z.string(),
  revision: z.string(),
  /** The change request that the revision is of, where it is none of the live content. */
  changeRequest: z.string().optional(),
  /** Whether that change request was about to be written to: what it holds beyond the revision may be of that. */
  isWriting: z.literal(true).optional(),
  /** What is synced: another folder or branch has nothing in common with the space. */
  root: z.string().optional(),
  branch: z.string().optional(),
});
export type SyncState = z.infer<typeof SyncState>;

/** Where the repository stands: the newest commit of the branch, and what was in common last. */
export interface RepositoryState {
  tip: string | undefined;
  state: SyncState | undefined;
  /** The commit that keeps the state. */
  kept: string | undefined;
}

/** A branch of a repository, read and written through a clone of its newest commit. */
export class Remote {
  readonly folder: string;
  readonly branch: string;
  readonly #address: string;
  readonly #ref: string;

  private constructor(folder: string, address: string, { branch, space }: { branch: string; space: string }) {
    this.folder = folder;
    this.branch = branch;
    this.#address = address;
    this.#ref = `refs/octavo/${space}`;
  }

  /** @throws Failure, also where a work tree has changes that are not committed */
  static async open(given: string, space: string, asked: string | undefined): Promise<Remote> {
    const address = await addressOf(given);
    const folder = await mkdtemp(path.join(tmpdir(), 'octavo-sync-'));
    try {
      await git(folder, ['init', '-q', '--bare', '.']);
      const head = await gitText(folder, ['ls-remote', '--symref', '--', address, 'HEAD']);
      const branch = asked ?? /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(head)?.[1] ?? 'main';
      await git(folder, ['check-ref-format', '--branch', branch]);
      return new Remote(folder, address, { branch, space });
    } catch (error) {
      await rm(folder, { recursive: true });
      throw error;
    }
  }

  close = (): Promise<void> => rm(this.folder, { recursive: true, force: true });

  async fetch(): Promise<RepositoryState> {
    const refs = [`+refs/heads/${this.branch}*:refs/sync/heads/${this.branch}*`, `+${this.#ref}*:${this.#ref}*`];
    await git(this.folder, ['fetch', '-q', '--depth=1', '--no-tags', '--prune', '--', this.#address, ...refs]);
    const tip = await this.#find(`refs/sync/heads/${this.branch}`);
    const kept = await this.#find(this.#ref);
    return { tip, kept, state: kept === undefined ? undefined : await this.#stateOf(kept) };
  }

  async #find(ref: string): Promise<string | undefined> {
    const { code, stdout } = await runGit(this.folder, ['rev-parse', '-q', '--verify', `${ref}^{commit}`]);
    return code === 0 ? stdout.toString().trim() : undefined;
  }

  async #stateOf(kept: string): Promise<SyncState> {
    const message = await gitText(this.folder, ['log', '-1', '--format=%b', kept]);
    try {
      return SyncState.parse(JSON.parse(message));
    } catch {
      throw new Failure(`The repository's ${this.#ref} was not written by octavo sync: delete it to begin anew.`);
    }
  }

  /** Keeps the state with the tree of its commit or another, and sets the branch to a commit where one is given. Undefined where somebody else was faster. */
  async push(
    state: SyncState,
    { kept, commit, tree: held }: { kept: string | undefined; commit?: string | undefined; tree?: string | undefined },
  ): Promise<string | undefined> {
    const message = `octavo sync\n\n${JSON.stringify(state)}\n`;
    const tree = await gitText(this.folder, ['rev-parse', `${held ?? state.commit}^{tree}`]);
    const next = await gitText(this.folder, [...identity, 'commit-tree', tree], message);
    const refs = [...(commit === undefined ? [] : [`${commit}:refs/heads/${this.branch}`]), `${next}:${this.#ref}`];
    const lease = `--force-with-lease=${this.#ref}:${kept ?? ''}`;
    const receive =
      '--receive-pack=git -c core.hooksPath=/dev/null -c receive.denyCurrentBranch=updateInstead receive-pack';
    const local = path.isAbsolute(this.#address) ? [receive] : [];
    const args = ['push', '-q', '--atomic', '--no-verify', lease, ...local, '--', this.#address, ...refs];
    const { code, stderr } = await runGit(this.folder, args);
    if (code === 0) return next;
    if (overtaken.test(stderr)) return undefined;
    const [why = ''] = /^.*(?:rejected|fatal:|error:).*$/m.exec(stderr) ?? [];
    throw new Failure(`git push: ${withoutCredentials(why || stderr)}`);
  }
}

const overtaken =
  /stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref|reference already exists/;

/** Who commits where nobody is named. */
export const identity = [
  '-c',
  'user.useConfigOnly=false',
  '-c',
  'user.name=Octavo',
  '-c',
  'user.email=octavo@localhost',
];

/** An address of another machine as it is, and of a folder here its whole path. */
async function addressOf(given: string): Promise<string> {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(given) || /^[\w.-]+@[\w.-]+:/.test(given)) return given;
  if (given.startsWith('-')) throw new Failure(`${given} is no repository.`);
  const folder = path.resolve(given);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw new Failure(`There is no folder ${given}.`);
  const { code, stdout } = await runGit(folder, ['rev-parse', '--show-toplevel']);
  if (code !== 0) {
    if ((await runGit(folder, ['rev-parse', '--is-bare-repository'])).code === 0) return folder;
    throw new Failure(`${given} is no git repository: \`git init\` makes it one.`);
  }
  const top = stdout.toString().trim();
  if (top === '') return folder;
  const inside = path.relative(top, await realpath(folder));
  if (inside !== '')
    throw new Failure(
      `${given} is a folder of the repository ${top}: name that, and the folder with --root ${inside}.`,
    );
  await requireCommitted(top, given);
  return top;
}
