import { copyFile, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../failure.ts';
import { readFolder } from '../import/source.ts';
import { callGit, type GitResult, runGit, runGitForText } from './git.ts';

/** The default author of commits. */
export const identity = [
  '-c',
  'user.useConfigOnly=false',
  '-c',
  'user.name=Octavo',
  '-c',
  'user.email=octavo@localhost',
];

const maxReportedPaths = 5;
const fetching = ['fetch', '-q', '--no-tags', '--recurse-submodules=no'];

interface TrackedBranch {
  remote: string;
  /** Branch on the remote. */
  branch: string;
  /** Local branch. */
  local: string;
}

/**
 * A work tree whose branch tracks a remote branch. The remote branch is synced, with the settings of the work tree, and
 * the work tree is updated afterwards. All clones therefore find the same state on the remote.
 */
export class WorkTree {
  readonly branch: string;
  readonly #top: string;
  readonly #remote: string;
  readonly #local: string;

  private constructor(top: string, { remote, branch, local }: TrackedBranch) {
    this.branch = branch;
    this.#top = top;
    this.#remote = remote;
    this.#local = local;
  }

  /**
   * Opens the work tree. Returns undefined if there is no remote. @throws Failure if the tracked branch cannot be
   * determined
   */
  static async open(top: string, branchOption: string | undefined): Promise<WorkTree | undefined> {
    const remotes = (await runGitForText(top, ['remote'])).split('\n').filter(Boolean);
    if (remotes.length === 0) return undefined;
    const local = branchOption ?? (await findOutput(top, ['symbolic-ref', '-q', '--short', 'HEAD']));
    if (local === undefined) throw new Failure(`${top} is not on a branch. Choose the branch to sync with --branch.`);
    await callGit(top, ['check-ref-format', '--branch', local]);
    const remoteName = await findOutput(top, ['config', `branch.${local}.remote`]);
    if (remoteName === '.') return undefined;
    const remote =
      remoteName ?? (remotes.includes('origin') ? 'origin' : remotes.length === 1 ? remotes[0] : undefined);
    if (remote === undefined)
      throw new Failure(`The branch ${local} of ${top} has no upstream. Set it with \`git branch --set-upstream-to\`.`);
    const merge = remoteName === undefined ? undefined : await findOutput(top, ['config', `branch.${local}.merge`]);
    return new WorkTree(top, { remote, branch: (merge ?? local).replace(/^refs\/heads\//, ''), local });
  }

  /** Makes the objects and the commit author of the work tree available to a clone. */
  async shareObjects(folder: string): Promise<void> {
    const objects = await this.#pathOf('objects');
    await mkdir(path.join(folder, 'objects', 'info'), { recursive: true });
    await writeFile(path.join(folder, 'objects', 'info', 'alternates'), `${objects}\n`);
    for (const key of ['user.name', 'user.email']) {
      const value = await findOutput(this.#top, ['config', key]);
      if (value !== undefined) await callGit(folder, ['config', key, value]);
    }
  }

  #pathOf = (name: string): Promise<string> =>
    runGitForText(this.#top, ['rev-parse', '--path-format=absolute', '--git-path', name]);

  /**
   * Copies the shallow boundary of the work tree to the clone that uses its objects, because the parents of the
   * boundary commits are missing.
   */
  async #shareBoundary(folder: string): Promise<void> {
    const boundary = path.join(folder, 'shallow');
    const isShallow = (await runGitForText(this.#top, ['rev-parse', '--is-shallow-repository'])) === 'true';
    if (isShallow) await copyFile(await this.#pathOf('shallow'), boundary);
    else await rm(boundary, { force: true });
  }

  /**
   * Fetches refs of the remote for a clone that uses the objects of this work tree, and returns their commits.
   * @throws Failure if the local branch has commits that the remote branch does not have
   */
  async fetch(refs: string[], folder: string): Promise<Map<string, string>> {
    const refLines = await runGitForText(this.#top, ['ls-remote', '--', this.#remote, ...refs]);
    const remoteRefs = new Map(
      refLines.split('\n').flatMap((line) => {
        const [oid = '', ref = ''] = line.split('\t');
        return refs.includes(ref) ? [[ref, oid] as const] : [];
      }),
    );
    if (remoteRefs.size > 0) await callGit(this.#top, [...fetching, '--', this.#remote, ...remoteRefs.keys()]);
    await this.#shareBoundary(folder);
    await this.#checkBehind(remoteRefs.get(`refs/heads/${this.branch}`));
    return remoteRefs;
  }

  async #checkBehind(tip: string | undefined): Promise<void> {
    const currentCommit = await this.#tip();
    if (currentCommit === undefined || currentCommit === tip) return;
    if (tip === undefined)
      throw new Failure(`${this.#remote} has no branch ${this.branch}. Push it first with \`git push\`.`);
    const { code } = await runGit(this.#top, ['merge-base', '--is-ancestor', currentCommit, tip]);
    if (code !== 0)
      throw new Failure(
        `The branch ${this.#local} has commits that are not in ${this.branch} of ${this.#remote}. Push them first ` +
          'with `git push`.',
      );
  }

  /** Returns the address of the remote as it is configured. */
  getAddress = (): Promise<string | undefined> => findOutput(this.#top, ['config', `remote.${this.#remote}.url`]);

  #tip = (): Promise<string | undefined> =>
    findOutput(this.#top, ['rev-parse', '-q', '--verify', `refs/heads/${this.#local}^{commit}`]);

  /** Pushes to the remote, including the objects of a clone. */
  async push(folder: string, options: string[], refs: string[]): Promise<GitResult> {
    const url = await runGitForText(this.#top, ['remote', 'get-url', '--push', this.#remote]).catch(() => this.#remote);
    const args = [
      'push',
      '--recurse-submodules=no',
      ...options,
      ...getReceiveOptions(url),
      '--',
      this.#remote,
      ...refs,
    ];
    return runGit(this.#top, args, { objects: path.join(folder, 'objects') });
  }

  /** Fast-forwards the local branch to the newest remote commit. Returns the reason if that is not possible. */
  async followCommit(tip: string): Promise<string | undefined> {
    const currentCommit = await this.#tip();
    if (currentCommit === tip) return undefined;
    await callGit(this.#top, [...fetching, '--', this.#remote, `refs/heads/${this.branch}`]);
    const head = await findOutput(this.#top, ['symbolic-ref', '-q', '--short', 'HEAD']);
    if (currentCommit === undefined && head !== this.#local) return undefined;
    const merging = ['-c', 'merge.autoStash=false', ...identity, 'merge', '-q', '--ff-only', tip];
    const fetchArguments = ['fetch', '-q', '.', `${tip}:refs/heads/${this.#local}`];
    const { code, stderr } = await runGit(this.#top, head === this.#local ? merging : fetchArguments);
    return code === 0 ? undefined : stderr.trim().split('\n').slice(0, 5).join(' ');
  }
}

/** Returns the options for a push to a repository on this machine: hooks are not run, and its work tree is updated. */
export const getReceiveOptions = (address: string): string[] =>
  path.isAbsolute(address) || /^file:/i.test(address)
    ? ['--receive-pack=git -c core.hooksPath=/dev/null -c receive.denyCurrentBranch=updateInstead receive-pack']
    : [];

/** Checks that a work tree has no uncommitted changes. Untracked files are ignored. @throws Failure */
export async function requireCommitted(top: string, repository: string): Promise<void> {
  const changed = (await runGitForText(top, ['status', '--porcelain', '--untracked-files=no']))
    .split('\n')
    .filter(Boolean);
  if (changed.length === 0) return;
  const examples = changed.slice(0, maxReportedPaths).join(', ');
  throw new Failure(
    `${repository} has uncommitted changes: ${examples}${changed.length > maxReportedPaths ? ', ...' : ''}`,
  );
}

/** Returns the output of Git, or undefined if it fails or the output is empty. */
async function findOutput(folder: string, args: string[]): Promise<string | undefined> {
  const { code, stdout } = await runGit(folder, args);
  const text = stdout.toString().trim();
  return code === 0 && text !== '' ? text : undefined;
}

const branch = 'refs/heads/main';
/** Ref of the commit that the files in the folder correspond to. */
const folderRef = 'refs/folder/standing';
/** Options that store bytes unchanged, whatever the Git configuration of this machine. */
const asItIs = ['-c', 'core.autocrlf=false', '-c', 'core.excludesFile=/dev/null'];
const attributes = '* -text -filter -ident -working-tree-encoding -eol\n';
const excluded = '/.octavo/\nnode_modules/\n';

/**
 * A folder outside of any repository. Its content is stored in a separate repository, `.octavo/sync.git`, which is
 * synced instead.
 */
export class PlainFolder {
  readonly address: string;
  readonly #folder: string;

  private constructor(folder: string, address: string) {
    this.#folder = folder;
    this.address = address;
  }

  /** Creates the repository of a folder if necessary. @throws Failure if the folder exceeds the limits of an import */
  static async open(folder: string): Promise<PlainFolder> {
    await readFolder(folder);
    const address = path.join(folder, '.octavo', 'sync.git');
    await mkdir(path.join(address, 'info'), { recursive: true });
    await callGit(folder, ['init', '-q', '--bare', '--initial-branch=main', address]);
    await writeFile(path.join(address, 'info', 'exclude'), excluded);
    await writeFile(path.join(address, 'info', 'attributes'), attributes);
    return new PlainFolder(folder, address);
  }

  /** Commits the content of the folder. @throws Failure if the folder was changed while a sync was writing to it */
  async commitFolder(): Promise<void> {
    const tip = await this.#findCommit(branch);
    const unwritten = tip === undefined ? undefined : await this.followCommit(tip);
    if (unwritten !== undefined)
      throw new Failure(`Files changed while a sync was writing them. Move them out of the folder: ${unwritten}`);
    await this.#run(['add', '-A']);
    const tree = await this.#text(['write-tree']);
    if (tree === (await this.#text(['rev-parse', `${tip ?? (await this.#empty())}^{tree}`]))) return;
    const parent = tip === undefined ? [] : ['-p', tip];
    const message = `Content of ${path.basename(this.#folder)}`;
    const commit = await this.#text([...identity, 'commit-tree', tree, ...parent, '-m', message]);
    await this.#run(['update-ref', branch, commit, tip ?? '']);
    await this.#run(['update-ref', folderRef, commit]);
  }

  /** Whether the folder still has the committed content. */
  async hasCommittedContent(): Promise<boolean> {
    return (await this.#text(['status', '--porcelain', '--untracked-files=all'])) === '';
  }

  /** Writes the changes of a commit to the folder. If that is not possible, writes nothing and returns the reason. */
  async followCommit(tip: string): Promise<string | undefined> {
    const from = await this.#findCommit(folderRef);
    if (from === tip) return undefined;
    // Do not count a file as changed if it was rewritten with the same bytes.
    await this.#try(['update-index', '-q', '--refresh']);
    const { code, stderr } = await this.#try(['read-tree', '-u', '-m', from ?? (await this.#empty()), tip]);
    if (code !== 0) return stderr.trim().split('\n').slice(0, 5).join(' ');
    await this.#run(['update-ref', folderRef, tip]);
    return undefined;
  }

  async #findCommit(ref: string): Promise<string | undefined> {
    const { code, stdout } = await this.#try(['rev-parse', '-q', '--verify', `${ref}^{commit}`]);
    return code === 0 ? stdout.toString().trim() : undefined;
  }

  #empty = (): Promise<string> => runGitForText(this.address, ['hash-object', '-t', 'tree', '-w', '--stdin'], '');
  #all = (args: string[]): string[] => [...asItIs, `--git-dir=${this.address}`, `--work-tree=${this.#folder}`, ...args];
  #try = (args: string[]): Promise<GitResult> => runGit(this.#folder, this.#all(args));
  #run = (args: string[]): Promise<Buffer> => callGit(this.#folder, this.#all(args));
  #text = (args: string[]): Promise<string> => runGitForText(this.#folder, this.#all(args));
}

/**
 * The location of a repository for Git. `top` is set for a local work tree, `plain` for a folder outside of any
 * repository.
 */
interface Address {
  address: string;
  top?: string;
  plain?: PlainFolder;
}

const isRemoteAddress = (repository: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(repository) || /^[\w.-]+@[\w.-]+:/.test(repository);

/**
 * Returns a remote address unchanged, and the absolute path of a local folder.
 * @throws Failure, for example if a work tree has uncommitted changes
 */
export async function getAddress(repository: string): Promise<Address> {
  if (isRemoteAddress(repository)) return { address: repository };
  if (repository.startsWith('-')) throw new Failure(`${repository} is not a git repository.`);
  const folder = path.resolve(repository);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new Failure(`The folder ${repository} does not exist.`);
  const { code, stdout } = await runGit(folder, ['rev-parse', '--show-toplevel']);
  if (code !== 0) {
    if ((await runGit(folder, ['rev-parse', '--is-bare-repository'])).code === 0) return { address: folder };
    const plain = await PlainFolder.open(await realpath(folder));
    return { address: plain.address, plain };
  }
  const top = stdout.toString().trim();
  if (top === '') return { address: folder };
  const inside = path.relative(top, await realpath(folder));
  if (inside !== '')
    throw new Failure(
      `${repository} is a folder in the repository ${top}. Pass the repository, and the folder with --root ${inside}.`,
    );
  await requireCommitted(top, repository);
  return { address: top, top };
}

/** Returns a folder of a repository with a trailing slash; empty for the whole repository. @throws Failure */
export function getRoot(root = ''): string {
  const parts = root.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new Failure(`The folder ${root} is outside the repository.`);
  return parts.map((part) => `${part}/`).join('');
}
