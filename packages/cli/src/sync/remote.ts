import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { Failure } from '../failure.ts';
import { callGit, removeCredentials, runGit, runGitForText } from './git.ts';
import { toWebAddress } from './report-repository.ts';
import { getAddress, getReceiveOptions, identity, type PlainFolder, WorkTree } from './work-tree.ts';

/** The state that both sides have in common: a commit, and the revision of the space with the same content. */
const SyncState = z.object({
  commit: z.string(),
  revision: z.string(),
  /** The change request that the revision belongs to, if it is not live content. */
  changeRequest: z.string().optional(),
  /**
   * Whether a sync was about to write to that change request. Content after the revision may then be from that sync.
   */
  isWriting: z.literal(true).optional(),
  /**
   * Whether the change request contains the differences of a first sync, where no common state existed. Such a change
   * request must be merged by a user.
   */
  isForPerson: z.literal(true).optional(),
  /** The synced folder and branch. The state does not apply to other folders or branches. */
  root: z.string().optional(),
  branch: z.string().optional(),
  /**
   * Paths of files that differed on both sides at the first sync. The repository's changes to these files go into a
   * conflict change request.
   */
  apart: z.array(z.string()).optional(),
  /** Paths of items that were created in Octavo, by ID. A file stays at its path even if its page moves. */
  names: z.record(z.string(), z.string()).optional(),
});
export type SyncState = z.infer<typeof SyncState>;

/** Returns the paths that a state stores, by the ID of the current or deleted item. */
export const getStoredPaths = (state: SyncState | undefined): Map<string, string> =>
  new Map(Object.entries(state?.names ?? {}));

export const getNames = (names: ReadonlyMap<string, string>): Pick<SyncState, 'names'> =>
  names.size > 0 ? { names: Object.fromEntries([...names].sort()) } : {};

/** The state of the repository: the newest commit of the branch, and the last common state. */
export interface RepositoryState {
  tip: string | undefined;
  state: SyncState | undefined;
  /** The commit that stores the state. */
  syncedCommit: string | undefined;
}

interface ReachedRemote {
  address: string;
  workTree: WorkTree | undefined;
  plain: PlainFolder | undefined;
}

interface Ref {
  branch: string;
  space: string;
}

/** A branch of a repository, read and written through a clone of its newest commit. */
export class Remote {
  readonly folder: string;
  readonly branch: string;
  readonly #address: string;
  readonly #workTree: WorkTree | undefined;
  readonly #plain: PlainFolder | undefined;
  readonly #ref: string;

  private constructor(folder: string, reached: ReachedRemote, ref: Ref) {
    this.folder = folder;
    this.branch = ref.branch;
    this.#address = reached.address;
    this.#workTree = reached.workTree;
    this.#plain = reached.plain;
    this.#ref = `refs/octavo/${ref.space}`;
  }

  /**
   * Opens a repository through a temporary clone.
   * @throws Failure, for example if a work tree has uncommitted changes
   */
  static async open(repository: string, space: string, branchOption: string | undefined): Promise<Remote> {
    const { address, top, plain } = await getAddress(repository);
    if (plain !== undefined && branchOption !== undefined)
      throw new Failure(`${repository} is not in a git repository and has no branch ${branchOption}.`);
    const workTree = top === undefined ? undefined : await WorkTree.open(top, branchOption);
    const folder = await mkdtemp(path.join(tmpdir(), 'octavo-sync-'));
    try {
      await callGit(folder, ['init', '-q', '--bare', '.']);
      await workTree?.shareObjects(folder);
      const branch = workTree?.branch ?? branchOption ?? (await getHead(folder, address)) ?? 'main';
      await callGit(folder, ['check-ref-format', '--branch', branch]);
      return new Remote(folder, { address, workTree, plain }, { branch, space });
    } catch (error) {
      await rm(folder, { recursive: true });
      throw error;
    }
  }

  /** Returns the URL at which a browser opens the repository; undefined if the repository is on this machine. */
  getWebAddress = async (): Promise<string | undefined> =>
    toWebAddress(this.#workTree === undefined ? this.#address : ((await this.#workTree.getAddress()) ?? ''));

  close = (): Promise<void> => rm(this.folder, { recursive: true, force: true });

  async fetch(): Promise<RepositoryState> {
    await this.#plain?.commitFolder();
    const { tip, syncedCommit } = this.#workTree
      ? await this.#fetchWithWorkTree(this.#workTree)
      : await this.#fetchAddress();
    return {
      tip,
      syncedCommit,
      state: syncedCommit === undefined ? undefined : await this.#readState(syncedCommit),
    };
  }

  async #fetchWithWorkTree(workTree: WorkTree): Promise<Pick<RepositoryState, 'tip' | 'syncedCommit'>> {
    const branch = `refs/heads/${this.branch}`;
    const refs = await workTree.fetch([branch, this.#ref], this.folder);
    return { tip: refs.get(branch), syncedCommit: refs.get(this.#ref) };
  }

  async #fetchAddress(): Promise<Pick<RepositoryState, 'tip' | 'syncedCommit'>> {
    const refs = [`+refs/heads/${this.branch}*:refs/sync/heads/${this.branch}*`, `+${this.#ref}*:${this.#ref}*`];
    await callGit(this.folder, ['fetch', '-q', '--depth=1', '--no-tags', '--prune', '--', this.#address, ...refs]);
    const refLines = await runGitForText(this.folder, ['for-each-ref', '--format=%(objectname) %(refname)']);
    const remoteRefs = new Map(
      refLines.split('\n').map((line): [string, string] => {
        const [oid = '', ref = ''] = line.split(' ');
        return [ref, oid];
      }),
    );
    return { tip: remoteRefs.get(`refs/sync/heads/${this.branch}`), syncedCommit: remoteRefs.get(this.#ref) };
  }

  /** Updates the work tree or folder, if there is one. Returns the reason if it cannot be updated. */
  follow = async (tip: string): Promise<string | undefined> => (this.#workTree ?? this.#plain)?.followCommit(tip);

  async #readState(commit: string): Promise<SyncState> {
    const message = await runGitForText(this.folder, ['log', '-1', '--format=%b', commit]);
    try {
      return SyncState.parse(JSON.parse(message));
    } catch {
      throw new Failure(
        `The ref ${this.#ref} of the repository was not written by octavo sync. Delete it to start over.`,
      );
    }
  }

  /**
   * Creates a commit that stores the state. Its files are those of the commit `tree`, by default those of the commit
   * that stores the former state. Also sets the branch to `commit`, if there is one. Returns the new commit, or
   * undefined if another client has pushed first.
   */
  async push(
    state: SyncState,
    {
      syncedCommit,
      commit,
      tree: treeCommit,
    }: { syncedCommit: string | undefined; commit?: string | undefined; tree?: string | undefined },
  ): Promise<string | undefined> {
    if (commit !== undefined && this.#plain && !(await this.#plain.hasCommittedContent())) return undefined;
    const message = `octavo sync\n\n${JSON.stringify(state)}\n`;
    const tree = await runGitForText(this.folder, ['rev-parse', `${treeCommit ?? state.commit}^{tree}`]);
    const next = await runGitForText(this.folder, [...identity, 'commit-tree', tree], message);
    const refs = [...(commit === undefined ? [] : [`${commit}:refs/heads/${this.branch}`]), `${next}:${this.#ref}`];
    const lease = `--force-with-lease=${this.#ref}:${syncedCommit ?? ''}`;
    const options = ['-q', '--atomic', '--no-verify', lease];
    const { code, stderr } = this.#workTree
      ? await this.#workTree.push(this.folder, options, refs)
      : await runGit(this.folder, [
          'push',
          ...options,
          ...getReceiveOptions(this.#address),
          '--',
          this.#address,
          ...refs,
        ]);
    if (code === 0) return next;
    if (overtaken.test(stderr)) return undefined;
    const [reason = ''] = /^.*(?:rejected|fatal:|error:).*$/m.exec(stderr) ?? [];
    throw new Failure(`git push: ${removeCredentials(reason || stderr)}`);
  }
}

const overtaken =
  /stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref|reference already exists/;

/** Returns the branch that a repository has checked out. */
async function getHead(folder: string, address: string): Promise<string | undefined> {
  const head = await runGitForText(folder, ['ls-remote', '--symref', '--', address, 'HEAD']);
  return /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(head)?.[1];
}
