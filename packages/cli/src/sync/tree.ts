import { isMarkdown, isOrdinary, type OutlineSource } from '@octavo/outline';
import { Failure } from '../failure.ts';
import type { ImportProblem } from '../import/problem.ts';
import { maxEntries, maxTotalBytes } from '../source/limits.ts';
import { git } from './git.ts';

/** A file of a tree of git. */
export interface Blob {
  oid: string;
  size: number;
  mode: string;
}

/** A folder of a tree of git: its files by their paths in it. */
export interface Tree {
  /** All of them, also those that are none of the docs. */
  blobs: Map<string, Blob>;
  /** Those that may be of the docs. */
  source: OutlineSource;
  /** Those that are left out, and why. */
  left: ImportProblem[];
}

const line = /^(\d+) (\w+) ([\da-f]+) +(\d+|-)\t(.*)$/s;
const isRead = (path: string): boolean => isMarkdown(path) || /\.(?:mdx|ya?ml|json|toml|[cm]?[jt]s)$/i.test(path);
/** What is read ahead of a file. */
const maxReadAhead = 1024 * 1024;
/** What a note of Git LFS is, whatever .gitattributes says of it: these may stand above the folder that is read. */
const minPointerBytes = 100;
const maxPointerBytes = 1024;
const pointer =
  /^version https:\/\/git-lfs\.github\.com\/spec\/[^\n]+\n(?:ext-[^\n]+\n)*oid sha256:[\da-f]{64}\nsize \d+\n?$/;

const tellPointer = (path: string): ImportProblem => ({
  kind: 'warning',
  path,
  message: 'Git LFS keeps the file elsewhere: it is not brought into the space, and stays as it is.',
});

/** Reads trees of a repository, each text once. */
export class Trees {
  readonly #folder: string;
  readonly #root: string;
  readonly #bytes = new Map<string, Buffer>();

  constructor(folder: string, root: string) {
    this.#folder = folder;
    this.#root = root;
  }

  /** The tree of a commit; without one, an empty one. Links and submodules are left out. @throws Failure */
  async read(commit: string | undefined): Promise<Tree> {
    const blobs = new Map<string, Blob>();
    const listed =
      commit === undefined ? '' : (await git(this.#folder, ['ls-tree', '-r', '-l', '-z', commit])).toString();
    for (const entry of listed.split('\0')) {
      const [, mode = '', type, oid = '', size = '', path = ''] = line.exec(entry) ?? [];
      if (type !== 'blob' || mode === '120000' || !path.startsWith(this.#root)) continue;
      // A name that is no text cannot be told to anybody.
      if (path.includes('\ufffd')) continue;
      blobs.set(path.slice(this.#root.length), { oid, size: Number(size), mode });
    }
    if (blobs.size > maxEntries) throw new Failure(`The repository holds more than ${maxEntries} files.`);
    const ahead = [...blobs].filter(([path, { size }]) => isRead(path) && size <= maxReadAhead);
    if (ahead.reduce((sum, [, { size }]) => sum + size, 0) > maxTotalBytes)
      throw new Failure(`The texts of the repository have more than ${maxTotalBytes} bytes.`);
    await this.#load(ahead.map(([, { oid }]) => oid));
    const pointers = await this.#pointers(blobs);
    return { blobs, source: this.#sourceOf(blobs, pointers), left: [...pointers].map(tellPointer) };
  }

  /** Files that Git LFS keeps elsewhere: there are only notes of them in the tree. */
  async #pointers(blobs: Map<string, Blob>): Promise<Set<string>> {
    const small = [...blobs].filter(
      ([path, { size }]) => isOrdinary(path) && size >= minPointerBytes && size <= maxPointerBytes,
    );
    await this.#load(small.map(([, { oid }]) => oid));
    const isPointer = (oid: string) => pointer.test(this.#bytes.get(oid)?.toString('latin1') ?? '');
    return new Set(small.flatMap(([path, { oid }]) => (isPointer(oid) ? [path] : [])));
  }

  async bytesOf(oid: string): Promise<Buffer> {
    return this.#bytes.get(oid) ?? (await git(this.#folder, ['cat-file', 'blob', oid]));
  }

  #sourceOf(blobs: Map<string, Blob>, pointers: ReadonlySet<string>): OutlineSource {
    const at = (path: string): Blob => blobs.get(path) ?? { oid: '', size: 0, mode: '' };
    const name = this.#root.split('/').at(-2) ?? 'repository';
    const read = (path: string) => this.bytesOf(at(path).oid);
    const paths = [...blobs.keys()].filter((path) => isOrdinary(path) && !pointers.has(path));
    return { name, paths, sizeOf: (path) => at(path).size, read };
  }

  async #load(oids: string[]): Promise<void> {
    const wanted = [...new Set(oids)].filter((oid) => !this.#bytes.has(oid));
    if (wanted.length === 0) return;
    const all = await git(this.#folder, ['cat-file', '--batch'], `${wanted.join('\n')}\n`);
    for (let at = 0; at < all.length; ) {
      const end = all.indexOf(10, at);
      const [oid = '', type, size] = all.subarray(at, end).toString().split(' ');
      if (type !== 'blob') throw new Failure(`The repository has not all of its files here: ${oid} is ${type}.`);
      const start = end + 1;
      this.#bytes.set(oid, all.subarray(start, start + Number(size)));
      at = start + Number(size) + 1;
    }
  }
}
