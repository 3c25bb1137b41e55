import { copyFile, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../failure.ts';
import { readFolder } from '../import/source.ts';
import { type GitResult, git, gitText, runGit } from './git.ts';

/** Who commits where nobody is named. */
export const identity = [
  '-c',
  'user.useConfigOnly=false',
  '-c',
  'user.name=Octavo',
  '-c',
  'user.email=octavo@localhost',
];

const mostTold = 5;
const fetching = ['fetch', '-q', '--no-tags', '--recurse-submodules=no'];

interface Followed {
  remote: string;
  /** The branch there. */
  branch: string;
  /** The branch here. */
  local: string;
}

/**
 * A work tree whose branch follows one of a remote: that one is synced, reached by the settings of the work tree, which
 * comes after. So whoever syncs, from any clone or from none, finds the same state.
 */
export class WorkTree {
  readonly branch: string;
  readonly #top: string;
  readonly #remote: string;
  readonly #local: string;

  private constructor(top: string, { remote, branch, local }: Followed) {
    this.branch = branch;
    this.#top = top;
    this.#remote = remote;
    this.#local = local;
  }

  /** Undefined where there is no remote. @throws Failure where it cannot be told which branch is followed */
  static async of(top: string, asked: string | undefined): Promise<WorkTree | undefined> {
    const remotes = (await gitText(top, ['remote'])).split('\n').filter(Boolean);
    if (remotes.length === 0) return undefined;
    const local = asked ?? (await found(top, ['symbolic-ref', '-q', '--short', 'HEAD']));
    if (local === undefined) throw new Failure(`${top} is at no branch: name the one to sync with --branch.`);
    await git(top, ['check-ref-format', '--branch', local]);
    const named = await found(top, ['config', `branch.${local}.remote`]);
    if (named === '.') return undefined;
    const remote = named ?? (remotes.includes('origin') ? 'origin' : remotes.length === 1 ? remotes[0] : undefined);
    if (remote === undefined)
      throw new Failure(
        `The branch ${local} of ${top} follows none of its remotes: \`git branch --set-upstream-to\` says which.`,
      );
    const merge = named === undefined ? undefined : await found(top, ['config', `branch.${local}.merge`]);
    return new WorkTree(top, { remote, branch: (merge ?? local).replace(/^refs\/heads\//, ''), local });
  }

  /** Has a clone find the objects of the work tree, and commit as it does. */
  async lendTo(folder: string): Promise<void> {
    const objects = await this.#pathOf('objects');
    await mkdir(path.join(folder, 'objects', 'info'), { recursive: true });
    await writeFile(path.join(folder, 'objects', 'info', 'alternates'), `${objects}\n`);
    for (const key of ['user.name', 'user.email']) {
      const value = await found(this.#top, ['config', key]);
      if (value !== undefined) await git(folder, ['config', key, value]);
    }
  }

  #pathOf = (name: string): Promise<string> =>
    gitText(this.#top, ['rev-parse', '--path-format=absolute', '--git-path', name]);

  /** Has the clone that finds the objects know as well which commits have no parents here: of a shallow one these are left out. */
  async #lendBoundary(folder: string): Promise<void> {
    const boundary = path.join(folder, 'shallow');
    const isShallow = (await gitText(this.#top, ['rev-parse', '--is-shallow-repository'])) === 'true';
    if (isShallow) await copyFile(await this.#pathOf('shallow'), boundary);
    else await rm(boundary, { force: true });
  }

  /**
   * Fetches refs of the remote for a clone that it has lent its objects to, and gives their commits.
   * @throws Failure where the branch here holds what is not there
   */
  async fetch(refs: string[], folder: string): Promise<Map<string, string>> {
    const listed = await gitText(this.#top, ['ls-remote', '--', this.#remote, ...refs]);
    const there = new Map(
      listed.split('\n').flatMap((line) => {
        const [oid = '', ref = ''] = line.split('\t');
        return refs.includes(ref) ? [[ref, oid] as const] : [];
      }),
    );
    if (there.size > 0) await git(this.#top, [...fetching, '--', this.#remote, ...there.keys()]);
    await this.#lendBoundary(folder);
    await this.#checkBehind(there.get(`refs/heads/${this.branch}`));
    return there;
  }

  async #checkBehind(tip: string | undefined): Promise<void> {
    const here = await this.#tip();
    if (here === undefined || here === tip) return;
    if (tip === undefined)
      throw new Failure(`${this.#remote} has no branch ${this.branch}: push it first, with \`git push\`.`);
    const { code } = await runGit(this.#top, ['merge-base', '--is-ancestor', here, tip]);
    if (code !== 0)
      throw new Failure(
        `The branch ${this.#local} has commits that ${this.branch} of ${this.#remote} has not: push them first, with \`git push\`.`,
      );
  }

  #tip = (): Promise<string | undefined> =>
    found(this.#top, ['rev-parse', '-q', '--verify', `refs/heads/${this.#local}^{commit}`]);

  /** Pushes to the remote, also what lies among the objects of a clone. */
  async push(folder: string, options: string[], refs: string[]): Promise<GitResult> {
    const url = await gitText(this.#top, ['remote', 'get-url', '--push', this.#remote]).catch(() => this.#remote);
    const args = ['push', '--recurse-submodules=no', ...options, ...receiving(url), '--', this.#remote, ...refs];
    return runGit(this.#top, args, { objects: path.join(folder, 'objects') });
  }

  /** Brings the branch here to the newest commit there. Why not, where that cannot be. */
  async follow(tip: string): Promise<string | undefined> {
    const here = await this.#tip();
    if (here === tip) return undefined;
    await git(this.#top, [...fetching, '--', this.#remote, `refs/heads/${this.branch}`]);
    const head = await found(this.#top, ['symbolic-ref', '-q', '--short', 'HEAD']);
    if (here === undefined && head !== this.#local) return undefined;
    const merging = ['-c', 'merge.autoStash=false', ...identity, 'merge', '-q', '--ff-only', tip];
    const moving = ['fetch', '-q', '.', `${tip}:refs/heads/${this.#local}`];
    const { code, stderr } = await runGit(this.#top, head === this.#local ? merging : moving);
    return code === 0 ? undefined : stderr.trim().split('\n').slice(0, 5).join(' ');
  }
}

/** What a push to a repository of this machine runs there: no hooks, and a work tree follows. */
export const receiving = (address: string): string[] =>
  path.isAbsolute(address) || /^file:/i.test(address)
    ? ['--receive-pack=git -c core.hooksPath=/dev/null -c receive.denyCurrentBranch=updateInstead receive-pack']
    : [];

/** @throws Failure where a work tree has changes that are not committed; files that git does not know are none */
export async function requireCommitted(top: string, given: string): Promise<void> {
  const changed = (await gitText(top, ['status', '--porcelain', '--untracked-files=no'])).split('\n').filter(Boolean);
  if (changed.length === 0) return;
  const some = changed.slice(0, mostTold).join(', ');
  throw new Failure(`${given} has changes that are not committed: ${some}${changed.length > mostTold ? ', ...' : ''}`);
}

/** What git writes; undefined where it finds nothing. */
async function found(folder: string, args: string[]): Promise<string | undefined> {
  const { code, stdout } = await runGit(folder, args);
  const text = stdout.toString().trim();
  return code === 0 && text !== '' ? text : undefined;
}

const branch = 'refs/heads/main';
/** The commit that the files of the folder are of. */
const standing = 'refs/folder/standing';
/** Bytes are taken as they are, whatever is set for this machine. */
const asItIs = ['-c', 'core.autocrlf=false', '-c', 'core.excludesFile=/dev/null'];
const attributes = '* -text -filter -ident -working-tree-encoding -eol\n';
const excluded = '/.octavo/\nnode_modules/\n';

/** A folder that is in no repository: what it held is kept in one of its own, `.octavo/sync.git`, which is synced instead. */
export class PlainFolder {
  readonly address: string;
  readonly #folder: string;

  private constructor(folder: string, address: string) {
    this.#folder = folder;
    this.address = address;
  }

  /** @throws Failure where the folder holds more than an import takes */
  static async of(folder: string): Promise<PlainFolder> {
    await readFolder(folder);
    const address = path.join(folder, '.octavo', 'sync.git');
    await mkdir(path.join(address, 'info'), { recursive: true });
    await git(folder, ['init', '-q', '--bare', '--initial-branch=main', address]);
    await writeFile(path.join(address, 'info', 'exclude'), excluded);
    await writeFile(path.join(address, 'info', 'attributes'), attributes);
    return new PlainFolder(folder, address);
  }

  /** Makes what the folder holds a commit. @throws Failure where it was changed while a sync was writing it */
  async take(): Promise<void> {
    const tip = await this.#find(branch);
    const unwritten = tip === undefined ? undefined : await this.follow(tip);
    if (unwritten !== undefined)
      throw new Failure(`What a sync was writing has been changed meanwhile, put it aside: ${unwritten}`);
    await this.#run(['add', '-A']);
    const tree = await this.#text(['write-tree']);
    if (tree === (await this.#text(['rev-parse', `${tip ?? (await this.#empty())}^{tree}`]))) return;
    const parent = tip === undefined ? [] : ['-p', tip];
    const message = `What ${path.basename(this.#folder)} holds`;
    const commit = await this.#text([...identity, 'commit-tree', tree, ...parent, '-m', message]);
    await this.#run(['update-ref', branch, commit, tip ?? '']);
    await this.#run(['update-ref', standing, commit]);
  }

  /** Whether the folder holds what was taken. */
  async isAsTaken(): Promise<boolean> {
    return (await this.#text(['status', '--porcelain', '--untracked-files=all'])) === '';
  }

  /** Writes what a commit has otherwise into the folder. Why not, where that cannot be: then nothing is written. */
  async follow(tip: string): Promise<string | undefined> {
    const from = await this.#find(standing);
    if (from === tip) return undefined;
    // A file that was written with the same bytes is the same.
    await this.#try(['update-index', '-q', '--refresh']);
    const { code, stderr } = await this.#try(['read-tree', '-u', '-m', from ?? (await this.#empty()), tip]);
    if (code !== 0) return stderr.trim().split('\n').slice(0, 5).join(' ');
    await this.#run(['update-ref', standing, tip]);
    return undefined;
  }

  async #find(ref: string): Promise<string | undefined> {
    const { code, stdout } = await this.#try(['rev-parse', '-q', '--verify', `${ref}^{commit}`]);
    return code === 0 ? stdout.toString().trim() : undefined;
  }

  #empty = (): Promise<string> => gitText(this.address, ['hash-object', '-t', 'tree', '-w', '--stdin'], '');
  #all = (args: string[]): string[] => [...asItIs, `--git-dir=${this.address}`, `--work-tree=${this.#folder}`, ...args];
  #try = (args: string[]): Promise<GitResult> => runGit(this.#folder, this.#all(args));
  #run = (args: string[]): Promise<Buffer> => git(this.#folder, this.#all(args));
  #text = (args: string[]): Promise<string> => gitText(this.#folder, this.#all(args));
}

/** Where a repository is, as git takes it; `top` where that is a work tree here, `plain` a folder here that is in none. */
interface Address {
  address: string;
  top?: string;
  plain?: PlainFolder;
}

const isElsewhere = (given: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(given) || /^[\w.-]+@[\w.-]+:/.test(given);

/** An address of another machine as it is, and of a folder here its whole path. @throws Failure, also where a work tree has changes that are not committed */
export async function addressOf(given: string): Promise<Address> {
  if (isElsewhere(given)) return { address: given };
  if (given.startsWith('-')) throw new Failure(`${given} is no repository.`);
  const folder = path.resolve(given);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw new Failure(`There is no folder ${given}.`);
  const { code, stdout } = await runGit(folder, ['rev-parse', '--show-toplevel']);
  if (code !== 0) {
    if ((await runGit(folder, ['rev-parse', '--is-bare-repository'])).code === 0) return { address: folder };
    const plain = await PlainFolder.of(await realpath(folder));
    return { address: plain.address, plain };
  }
  const top = stdout.toString().trim();
  if (top === '') return { address: folder };
  const inside = path.relative(top, await realpath(folder));
  if (inside !== '')
    throw new Failure(
      `${given} is a folder of the repository ${top}: name that, and the folder with --root ${inside}.`,
    );
  await requireCommitted(top, given);
  return { address: top, top };
}

/** A folder of a repository with a slash at its end, empty for all of it. @throws Failure */
export function rootOf(root = ''): string {
  const parts = root.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new Failure(`The folder ${root} is outside of the repository.`);
  return parts.map((part) => `${part}/`).join('');
}
