import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../failure.ts';
import { readFolder } from '../source/read-folder.ts';
import { type GitResult, git, gitText, runGit } from './git.ts';
import { identity } from './work-tree.ts';

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
