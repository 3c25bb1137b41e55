import { getTitle, readFrontmatter } from '@octavo/markdown';
import { isDocsPath, isMarkdown, type OutlineSource } from '@octavo/outline';
import { defaultPageLayout, type PageMetadata } from '@octavo/schema';
import { type Exported, type ExportedNodes, type ExportedSpace, getBytes } from '@octavo/space-files';
import { Failure } from '../failure.ts';
import { hashBlob, type ImportProblem, maxEntries, maxTotalBytes } from '../import/source.ts';
import { callGit } from './git.ts';
import type { TreeChange } from './points.ts';

/** A file in a Git tree. */
interface Blob {
  oid: string;
  size: number;
  mode: string;
}

/** A folder in a Git tree, with its files by relative path. */
export interface Tree {
  /** All files, including those that are not documentation. */
  blobs: Map<string, Blob>;
  /** Files that may be documentation. */
  source: OutlineSource;
  /** Files that were left out, with the reasons. */
  skippedFiles: ImportProblem[];
}

const line = /^(\d+) (\w+) ([\da-f]+) +(\d+|-)\t(.*)$/s;
const isRead = (path: string): boolean => isMarkdown(path) || /\.(?:mdx|ya?ml|json|toml|[cm]?[jt]s)$/i.test(path);
/** Files up to this size are read ahead, in bytes. */
const maxReadAhead = 1024 * 1024;
/**
 * Size range and format of Git LFS pointers. They are detected by content, because .gitattributes may be above the
 * folder.
 */
const minPointerBytes = 100;
const maxPointerBytes = 1024;
const pointer =
  /^version https:\/\/git-lfs\.github\.com\/spec\/[^\n]+\n(?:ext-[^\n]+\n)*oid sha256:[\da-f]{64}\nsize \d+\n?$/;

const toPointerProblem = (path: string): ImportProblem => ({
  kind: 'warning',
  path,
  message: 'The file is stored in Git LFS. It was not imported and stays unchanged.',
});

/** A reader of the trees of a repository, which caches texts. */
export class Trees {
  readonly #folder: string;
  readonly #root: string;
  readonly #bytes = new Map<string, Buffer>();

  constructor(folder: string, root: string) {
    this.#folder = folder;
    this.#root = root;
  }

  /**
   * Reads the tree of a commit. The tree is empty if there is no commit. Symbolic links and submodules are omitted.
   * @throws Failure
   */
  async read(commit: string | undefined): Promise<Tree> {
    const blobs = new Map<string, Blob>();
    const listing =
      commit === undefined ? '' : (await callGit(this.#folder, ['ls-tree', '-r', '-l', '-z', commit])).toString();
    for (const entry of listing.split('\0')) {
      const [, mode = '', type, oid = '', size = '', path = ''] = line.exec(entry) ?? [];
      if (type !== 'blob' || mode === '120000' || !path.startsWith(this.#root)) continue;
      // A file name that is not valid UTF-8 cannot be stored or reported.
      if (path.includes('\ufffd')) continue;
      blobs.set(path.slice(this.#root.length), { oid, size: Number(size), mode });
    }
    if (blobs.size > maxEntries) throw new Failure(`The repository has more than ${maxEntries} files.`);
    const ahead = [...blobs].filter(([path, { size }]) => isRead(path) && size <= maxReadAhead);
    if (ahead.reduce((sum, [, { size }]) => sum + size, 0) > maxTotalBytes)
      throw new Failure(`The texts of the repository have more than ${maxTotalBytes} bytes in total.`);
    await this.#load(ahead.map(([, { oid }]) => oid));
    const pointers = await this.#findPointers(blobs);
    return { blobs, source: this.#createSource(blobs, pointers), skippedFiles: [...pointers].map(toPointerProblem) };
  }

  /** Returns the files that are stored in Git LFS, of which the tree contains only pointers. */
  async #findPointers(blobs: Map<string, Blob>): Promise<Set<string>> {
    const smallFiles = [...blobs].filter(
      ([path, { size }]) => isDocsPath(path) && size >= minPointerBytes && size <= maxPointerBytes,
    );
    await this.#load(smallFiles.map(([, { oid }]) => oid));
    const isPointer = (oid: string) => pointer.test(this.#bytes.get(oid)?.toString('latin1') ?? '');
    return new Set(smallFiles.flatMap(([path, { oid }]) => (isPointer(oid) ? [path] : [])));
  }

  async readBytes(oid: string): Promise<Buffer> {
    return this.#bytes.get(oid) ?? (await callGit(this.#folder, ['cat-file', 'blob', oid]));
  }

  #createSource(blobs: Map<string, Blob>, pointers: ReadonlySet<string>): OutlineSource {
    const getBlob = (path: string): Blob => blobs.get(path) ?? { oid: '', size: 0, mode: '' };
    const name = this.#root.split('/').at(-2) ?? 'repository';
    const readBytes = (path: string) => this.readBytes(getBlob(path).oid);
    const paths = [...blobs.keys()].filter((path) => isDocsPath(path) && !pointers.has(path));
    return { name, paths, getSize: (path) => getBlob(path).size, read: readBytes };
  }

  async #load(oids: string[]): Promise<void> {
    const missingOids = [...new Set(oids)].filter((oid) => !this.#bytes.has(oid));
    if (missingOids.length === 0) return;
    const all = await callGit(this.#folder, ['cat-file', '--batch'], `${missingOids.join('\n')}\n`);
    for (let offset = 0; offset < all.length; ) {
      const end = all.indexOf(10, offset);
      const [oid = '', type, size] = all.subarray(offset, end).toString().split(' ');
      if (type !== 'blob') throw new Failure(`The local repository is incomplete: ${oid} is ${type}.`);
      const start = end + 1;
      this.#bytes.set(oid, all.subarray(start, start + Number(size)));
      offset = start + Number(size) + 1;
    }
  }
}

/** The common state: the files that the space exported, and the tree of the repository. */
interface CommonBlobs {
  nodes: ExportedNodes;
  tree: Tree;
}

interface JudgedChanges extends TreeChange {
  /**
   * Files that the space has changed but that are not written, because the repository's file was not in the common
   * state.
   */
  keptPaths: string[];
}

interface WriteRules {
  heldBlob: CommonBlobs;
  /** The tree of the repository at the last sync. */
  formerTree: Tree;
  /** Whether the file of a node may be deleted, by node ID. */
  canDelete: (id: string) => boolean;
  /** Paths of files that differ from the space because their changes are in a conflict change request. */
  heldPaths: ReadonlySet<string>;
  /**
   * Whether there was no common state. Then the files do not contain the titles and fields that only the space stores.
   */
  isFirst: boolean;
}

/**
 * Returns the changes that write the current content of the space to a tree. An existing file is changed only if the
 * space had the same version and has changed it since. Files that describe the whole space, and files in a conflict
 * change request, are always updated.
 */
export async function getChange(
  { files, shared }: Pick<ExportedSpace, 'files' | 'shared'>,
  { heldBlob, formerTree, canDelete, heldPaths, isFirst }: WriteRules,
): Promise<JudgedChanges> {
  const { nodes, tree } = heldBlob;
  const change: JudgedChanges = { files: new Map(), removed: [], keptPaths: [] };
  const isCommon = createCommonCheck(heldBlob);
  for (const [path, file] of files) {
    const blob = tree.blobs.get(path);
    const formerFile = nodes.files.get(path);
    if (blob === undefined) {
      if (formerFile !== undefined && formerTree.blobs.has(path)) change.keptPaths.push(path);
      else change.files.set(path, { readBytes: () => readBytes(file), mode: '100644' });
      continue;
    }
    const isOurs = shared.has(path) || heldPaths.has(path);
    const isUnchanged = formerFile !== undefined && isSameFile(formerFile, file) && !isOurs;
    const isUnreported = isFirst && 'text' in file && (await isCommon(path));
    if ((isUnchanged && !isUnreported) || (await isBlob(file, blob))) continue;
    if (isOurs || (await isCommon(path))) change.files.set(path, { readBytes: () => readBytes(file), mode: blob.mode });
    else change.keptPaths.push(path);
  }
  const ids = new Map([...nodes.present].map(([id, path]) => [path, id]));
  for (const path of nodes.files.keys()) {
    if (!tree.blobs.has(path) || files.has(path) || !canDelete(ids.get(path) ?? '')) continue;
    if (await isCommon(path)) change.removed.push(path);
    else change.keptPaths.push(path);
  }
  return change;
}

/** Checks that a commit changes only files of the space. @throws Failure if it changes another file */
export function requireOnlySpaceFiles(before: CommonBlobs, after: Tree, shared: ReadonlySet<string>): void {
  for (const [path, { oid }] of before.tree.blobs) {
    const now = after.blobs.get(path);
    const isOurs = before.nodes.files.has(path) || (now !== undefined && shared.has(path));
    if (now?.oid !== oid && !isOurs) throw new Failure(`${path} does not belong to the space. Nothing was written.`);
  }
}

/**
 * Returns a function that checks whether a file in the tree equals the file of the space, either as exported or as
 * stored.
 */
function createCommonCheck({ nodes, tree }: CommonBlobs): (path: string) => Promise<boolean> {
  const ids = new Map([...nodes.present].map(([id, path]) => [path, id]));
  return async (path) => {
    const [file, blob] = [nodes.files.get(path), tree.blobs.get(path)];
    if (file === undefined || blob === undefined) return false;
    const text = nodes.texts.get(ids.get(path) ?? '');
    return (text !== undefined && hashBlob(Buffer.from(text.text)) === blob.oid) || isBlob(file, blob);
  };
}

async function isBlob(file: Exported, { oid }: Blob): Promise<boolean> {
  const knownOid = 'file' in file ? file.file.git?.oid : undefined;
  return (knownOid ?? hashBlob(await readBytes(file))) === oid;
}

function isSameFile(one: Exported, other: Exported): boolean {
  if ('text' in one || 'text' in other) return 'text' in one && 'text' in other && one.text === other.text;
  const [firstFile, secondFile] = [one.file, other.file];
  return firstFile.git !== undefined && secondFile.git !== undefined
    ? firstFile.git.oid === secondFile.git.oid
    : firstFile.downloadURL === secondFile.downloadURL;
}

const readBytes = async (file: Exported): Promise<Buffer> => Buffer.from(await getBytes(file));

/** The former and current text of a file in the repository, and the text of its page in the space. */
interface Versions {
  former: string;
  current: string;
  held: string;
}

const texts = ['emoji', 'icon', 'description'] as const;

/**
 * Returns changes that reset the fields which an export had added to a file's frontmatter, and which a commit has
 * removed. Fields that hide a page from readers are not reset, and no field is reset if the frontmatter is invalid; the
 * next export adds them again.
 */
export function findRemovedFields({ former, current, held }: Versions): PageMetadata {
  const { problems, bodyOffset } = readFrontmatter(current);
  if (problems.length > 0 || (bodyOffset === 0 && current.startsWith('---'))) return {};
  const [formerFields, now, heldFields] = [former, current, held].map((text) => readFrontmatter(text).values) as [
    FrontmatterValues,
    FrontmatterValues,
    FrontmatterValues,
  ];
  const isRemovedField = (key: keyof FrontmatterValues) =>
    formerFields[key] !== undefined && now[key] === undefined && heldFields[key] === undefined;
  const getDeletedNames = (key: 'layout' | 'variables') =>
    Object.keys(formerFields[key] ?? {}).filter((name) =>
      [now, heldFields].every((fields) => !Object.hasOwn(fields[key] ?? {}, name)),
    );
  const layout = getDeletedNames('layout').map((key) => [
    key,
    defaultPageLayout[key as keyof typeof defaultPageLayout],
  ]);
  const variables = getDeletedNames('variables').map((name) => [name, null]);
  return {
    ...Object.fromEntries(texts.filter(isRemovedField).map((key) => [key, ''])),
    ...(isRemovedField('cover') && { cover: null }),
    ...(layout.length > 0 && { layout: Object.fromEntries(layout) }),
    ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
  };
}

type FrontmatterValues = ReturnType<typeof readFrontmatter>['values'];

const getTitleOfText = (text: string): string | undefined => readFrontmatter(text).values.title ?? getTitle(text);

/** Returns the title that a commit set for a page, if an export had written the title of the page to the file. */
export function findChangedTitle({ former, current, held }: Versions, title: string): string | undefined {
  const now = getTitleOfText(current);
  const isWritten = getTitleOfText(former) === title && getTitleOfText(held) !== title;
  return isWritten && now !== title && readFrontmatter(current).values.title === undefined ? now : undefined;
}

/**
 * Removes the part that an export had written above the text, if that part is unchanged. The next export writes it
 * again, so the page changes only where the file was edited.
 */
export function removeWrittenFields(text: string, { former, held }: Versions): string {
  const prefix = former.endsWith(held) ? former.slice(0, former.length - held.length) : '';
  const rest = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  const isRepeated = rest !== '' && /^\r?\n/.test(rest) === /^\r?\n/.test(held);
  const isUntitled = getTitle(prefix) === undefined || getTitle(rest) === undefined;
  return prefix !== '' && isRepeated && isUntitled && !rest.startsWith('---') ? rest : text;
}
