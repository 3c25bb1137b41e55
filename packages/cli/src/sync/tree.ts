import { readFrontmatter, titleOf } from '@octavo/markdown';
import { isMarkdown, isOrdinary, type OutlineSource } from '@octavo/outline';
import { defaultPageLayout, type PageMetadata } from '@octavo/schema';
import { bytesOf, type ExportedNodes, type ExportedSpace } from '../export/exported.ts';
import type { Exported } from '../export/read-space.ts';
import { Failure } from '../failure.ts';
import { blobId, type ImportProblem, maxEntries, maxTotalBytes } from '../import/source.ts';
import { git } from './git.ts';
import type { TreeChange } from './points.ts';

/** A file of a tree of git. */
interface Blob {
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

/** What both sides held: what the space wrote to which path, and the tree of the repository. */
interface Held {
  nodes: ExportedNodes;
  tree: Tree;
}

interface Judged extends TreeChange {
  /** What the space holds otherwise, and what is not written since the repository's file was not in common. */
  left: string[];
}

interface Rules {
  held: Held;
  /** What the repository held the last time. */
  former: Tree;
  /** Whether the file of a node may go, by the node's id. */
  mayGo: (id: string) => boolean;
  /** Files that say otherwise than the space, and that are held apart. */
  apart: ReadonlySet<string>;
  /** Whether nothing was in common before: then files have what the space says of pages beside their texts nowhere. */
  isFirst: boolean;
}

/**
 * What makes a tree hold what the space says otherwise by now. A file that is there is touched only where the space held the
 * same and says something else since; what is of the whole space is changed by what it says, and what is held apart as well.
 */
export async function changeOf(
  { files, shared }: Pick<ExportedSpace, 'files' | 'shared'>,
  { held, former, mayGo, apart, isFirst }: Rules,
): Promise<Judged> {
  const { nodes, tree } = held;
  const change: Judged = { written: new Map(), removed: [], left: [] };
  const isCommon = commonIn(held);
  for (const [path, file] of files) {
    const there = tree.blobs.get(path);
    const was = nodes.files.get(path);
    if (there === undefined) {
      if (was !== undefined && former.blobs.has(path)) change.left.push(path);
      else change.written.set(path, { read: () => readBytes(file), mode: '100644' });
      continue;
    }
    const isOurs = shared.has(path) || apart.has(path);
    const isHeld = was !== undefined && isSame(was, file) && !isOurs;
    const isUnsaid = isFirst && 'text' in file && (await isCommon(path));
    if ((isHeld && !isUnsaid) || (await isBlob(file, there))) continue;
    if (isOurs || (await isCommon(path))) change.written.set(path, { read: () => readBytes(file), mode: there.mode });
    else change.left.push(path);
  }
  const ids = new Map([...nodes.present].map(([id, path]) => [path, id]));
  for (const path of nodes.files.keys()) {
    if (!tree.blobs.has(path) || files.has(path) || !mayGo(ids.get(path) ?? '')) continue;
    if (await isCommon(path)) change.removed.push(path);
    else change.left.push(path);
  }
  return change;
}

/** @throws Failure where a commit touches what is not the space's to say */
export function checkTouched(before: Held, after: Tree, shared: ReadonlySet<string>): void {
  for (const [path, { oid }] of before.tree.blobs) {
    const now = after.blobs.get(path);
    const isOurs = before.nodes.files.has(path) || (now !== undefined && shared.has(path));
    if (now?.oid !== oid && !isOurs) throw new Failure(`${path} is not of the space: nothing was written.`);
  }
}

/** Whether the file at a path of the tree is what the space holds there, as it is written or as it was read. */
function commonIn({ nodes, tree }: Held): (path: string) => Promise<boolean> {
  const ids = new Map([...nodes.present].map(([id, path]) => [path, id]));
  return async (path) => {
    const [file, there] = [nodes.files.get(path), tree.blobs.get(path)];
    if (file === undefined || there === undefined) return false;
    const read = nodes.texts.get(ids.get(path) ?? '');
    return (read !== undefined && blobId(Buffer.from(read.text)) === there.oid) || isBlob(file, there);
  };
}

async function isBlob(file: Exported, { oid }: Blob): Promise<boolean> {
  const known = 'file' in file ? file.file.git?.oid : undefined;
  return (known ?? blobId(await readBytes(file))) === oid;
}

function isSame(one: Exported, other: Exported): boolean {
  if ('text' in one || 'text' in other) return 'text' in one && 'text' in other && one.text === other.text;
  const [was, is] = [one.file, other.file];
  return was.git !== undefined && is.git !== undefined
    ? was.git.oid === is.git.oid
    : was.downloadURL === is.downloadURL;
}

const readBytes = async (file: Exported): Promise<Buffer> => Buffer.from(await bytesOf(file));

/** The text of a file as it was in the repository and as it is, and the text of its page. */
interface Versions {
  was: string;
  is: string;
  held: string;
}

const texts = ['emoji', 'icon', 'description'] as const;

/**
 * What an export had written into the frontmatter of a file, and a commit took out: the text of the page never had it. What
 * keeps a page from readers is written again instead, as is all where the frontmatter cannot be read any more.
 */
export function takenOut({ was, is, held }: Versions): PageMetadata {
  const { problems, bodyOffset } = readFrontmatter(is);
  if (problems.length > 0 || (bodyOffset === 0 && is.startsWith('---'))) return {};
  const [former, now, own] = [was, is, held].map((text) => readFrontmatter(text).values) as [Said, Said, Said];
  const isOut = (key: keyof Said) => former[key] !== undefined && now[key] === undefined && own[key] === undefined;
  const gone = (key: 'layout' | 'variables') =>
    Object.keys(former[key] ?? {}).filter((name) => [now, own].every((said) => !Object.hasOwn(said[key] ?? {}, name)));
  const layout = gone('layout').map((key) => [key, defaultPageLayout[key as keyof typeof defaultPageLayout]]);
  const variables = gone('variables').map((name) => [name, null]);
  return {
    ...Object.fromEntries(texts.filter(isOut).map((key) => [key, ''])),
    ...(isOut('cover') && { cover: null }),
    ...(layout.length > 0 && { layout: Object.fromEntries(layout) }),
    ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
  };
}

type Said = ReturnType<typeof readFrontmatter>['values'];

const titleIn = (text: string): string | undefined => readFrontmatter(text).values.title ?? titleOf(text);

/** The title that a commit gave a page where an export had written its title into the file. */
export function retitled({ was, is, held }: Versions, title: string): string | undefined {
  const now = titleIn(is);
  const isWritten = titleIn(was) === title && titleIn(held) !== title;
  return isWritten && now !== title && readFrontmatter(is).values.title === undefined ? now : undefined;
}

/**
 * A text without what an export had written above all of it, where that still stands there and is written again: so the
 * page has changed where the file was edited.
 */
export function withoutWritten(text: string, { was, held }: Versions): string {
  const above = was.endsWith(held) ? was.slice(0, was.length - held.length) : '';
  const rest = text.startsWith(above) ? text.slice(above.length) : '';
  const isAgain = rest !== '' && /^\r?\n/.test(rest) === /^\r?\n/.test(held);
  const isUntitled = titleOf(above) === undefined || titleOf(rest) === undefined;
  return above !== '' && isAgain && isUntitled && !rest.startsWith('---') ? rest : text;
}
