import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from '../api.ts';
import { blobId, type ImportProblem } from '../import/source.ts';
import { git, runGit } from '../sync/git.ts';
import { getCommitter, isNothing, type TreeChange } from '../sync/points.ts';
import { type Tree, Trees } from '../sync/tree.ts';
import { type ExportedSpace, type ExportOptions, exportedFiles, getBytes } from './exported.ts';
import { type Branch, commitTo, type FormerlyHeld, heldBefore, leftMark, openBranch } from './former-exports.ts';
import { readSpace } from './read-space.ts';

/** The paths of a tree, whatever their type, and the folders that contain them. */
class Occupied {
  readonly #paths: ReadonlySet<string>;
  readonly #folders = new Set<string>();

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths);
    for (const path of paths) for (const slash of path.matchAll(/\//g)) this.#folders.add(path.slice(0, slash.index));
  }

  /** Returns the path that blocks a new file: a link, a file where a folder is needed, or a folder. */
  inTheWayOf(path: string): string | undefined {
    if (this.#paths.has(path) || this.#folders.has(path)) return path;
    const above = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
    return above.find((folder) => this.#paths.has(folder));
  }
}

interface ThreeTexts {
  base: Buffer;
  /** `there` is the text in the repository, `said` the text in the space. */
  there: Buffer;
  said: Buffer;
}

/**
 * Merges a file with `git merge-file`. Undefined if both sides have changed the same lines, or if the file is not text.
 */
async function mergeFile({ base, there, said }: ThreeTexts): Promise<Buffer | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-merge-'));
  try {
    const files = Object.entries({ there, base, said });
    await Promise.all(files.map(([name, bytes]) => writeFile(path.join(folder, name), bytes)));
    const { code, stdout } = await runGit(folder, ['merge-file', '-p', '-q', ...files.map(([name]) => name)]);
    return code === 0 ? stdout : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the blob IDs that a repository has. Only a blob that it has or had can be the common base of both sides. */
async function knownTo({ folder }: Branch, oids: readonly string[]): Promise<Set<string>> {
  if (oids.length === 0) return new Set();
  const listed = await git(folder, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], `${oids.join('\n')}\n`);
  const lines = listed.toString().split('\n');
  return new Set(lines.flatMap((line) => (line.endsWith(' blob') ? [line.slice(0, -' blob'.length)] : [])));
}

/** The result of an export to a branch. */
export interface GitExport extends ExportedSpace {
  /** Omitted if nothing differs. */
  commit?: { id: string; subject: string; written: number; removed: number };
  /** Files that were not written or deleted, with the reasons. */
  problems: ImportProblem[];
}

/**
 * Writes the content of a space as one commit to the current branch of a work tree or bare repository.
 * @throws Failure
 */
export async function exportToGit({ api: connection, space, folder, onProgress }: ExportOptions): Promise<GitExport> {
  const api = connect(connection);
  const branch = await openBranch(folder);
  const trees = new Trees(branch.folder, branch.root);
  const tree = await trees.read(branch.tip);
  const { id, title } = await api.getSpaceById({ params: { spaceId: space } });
  const content = await readSpace(api, id, undefined, tree);
  const held = await heldBefore(api, content, { branch, trees, target: tree });
  const names = new Set(content.names.values());
  const paths = tree.source.paths.filter((path) => names.has(path) || !held.oids.has(path));
  const total = names.size;
  let done = 0;
  const exported = await exportedFiles(
    api,
    { ...content, gone: held.gone },
    {
      target: { ...tree.source, paths },
      ...(held.variables && { heldVariables: held.variables }),
      keepsUnlisted: true,
      onRead: () => {
        done += 1;
        onProgress?.(done, total);
      },
    },
  );
  const known = await knownTo(
    branch,
    [...held.oids.values()].flatMap((oids) => [...oids]),
  );
  const occupied = await occupiedIn(branch);
  const { change, problems, left } = await getChange(exported, { held, tree, trees, known, occupied });
  if (isNothing(change)) return { ...exported, problems };
  const lines = left.map((path) => `${leftMark}${encodeURIComponent(path)}\n`);
  const subject = `${title}: revision ${content.revision}`;
  const message = `${subject}\n\nOctavo-Space: ${id}\nOctavo-Revision: ${content.revision}\n${lines.join('')}`;
  const commit = await commitTo(branch, change, { author: await getCommitter(branch.folder), message });
  const [written, removed] = [change.written.size, change.removed.length];
  return { ...exported, problems, commit: { id: commit, subject, written, removed } };
}

async function occupiedIn({ folder, root, tip }: Branch): Promise<Occupied> {
  const listed = tip === undefined ? '' : (await git(folder, ['ls-tree', '-r', '-z', '--name-only', tip])).toString();
  const inside = listed.split('\0').filter((path) => path.startsWith(root));
  return new Occupied(inside.map((path) => path.slice(root.length)).filter(Boolean));
}

interface RepositoryState {
  held: FormerlyHeld;
  tree: Tree;
  trees: Trees;
  /** IDs of the blobs that the repository has or had. */
  known: ReadonlySet<string>;
  occupied: Occupied;
}

/** Returns the changes to the branch. Only files that came from the space are overwritten or deleted. */
async function getChange({ files, shared }: ExportedSpace, standing: RepositoryState) {
  const { held, tree, occupied } = standing;
  const change: TreeChange = { written: new Map(), removed: [] };
  const problems: ImportProblem[] = [];
  const left: string[] = [];
  const isOurs = (path: string) => held.oids.has(path) || (held.isAgain && shared.has(path));
  for (const [path, file] of files) {
    const there = tree.blobs.get(path);
    const known = 'file' in file ? file.file.git?.oid : undefined;
    if (there !== undefined && there.oid === known) continue;
    const read = async () => Buffer.from(await getBytes(file));
    if (there?.oid !== undefined && there.oid === blobId(await read())) continue;
    const inTheWay = there === undefined ? occupied.inTheWayOf(path) : isOurs(path) ? undefined : path;
    if (inTheWay !== undefined) {
      const message = `Not written, because ${inTheWay} exists and is not from this space.`;
      problems.push({ kind: 'failed', path, message });
      continue;
    }
    const { written, problem, isLeft }: BroughtFile = shared.has(path)
      ? { written: read }
      : await brought(path, read, standing);
    if (problem) problems.push({ ...problem, path });
    if (isLeft) left.push(path);
    if (written) change.written.set(path, { read: written, mode: there?.mode ?? '100644' });
  }
  for (const [path, oids] of held.oids) {
    const there = tree.blobs.get(path);
    if (there === undefined || files.has(path)) continue;
    if (oids.has(there.oid)) change.removed.push(path);
    else {
      const message = 'Kept, because it was deleted in the space but changed in the repository.';
      problems.push({ kind: 'warning', path, message });
    }
  }
  return { change, problems, left };
}

interface BroughtFile {
  /** Undefined if the file in the repository is left unchanged. */
  written?: () => Promise<Buffer>;
  problem?: Pick<ImportProblem, 'kind' | 'message'>;
  /** Whether the file in the repository differs from the space after this commit. */
  isLeft?: true;
}

/** Returns the space's version of a file, merged with the repository's changes since both had the same version. */
async function brought(
  path: string,
  read: () => Promise<Buffer>,
  { held, tree, trees, known }: RepositoryState,
): Promise<BroughtFile> {
  const there = tree.blobs.get(path)?.oid;
  const renewed = held.renewed.get(path);
  const isRenewed = renewed !== undefined && known.has(renewed);
  const oids = isRenewed ? [renewed] : [...(held.oids.get(path) ?? [])];
  const base = oids.find((oid) => known.has(oid));
  if (there === undefined) return { written: read, ...(base !== undefined && { problem: tell.gone }) };
  if (oids.includes(there)) return { written: read };
  if (base === undefined) return { written: read, problem: tell.replaced };
  const said = await read();
  if (blobId(said) === base) return { problem: tell.newer, isLeft: true };
  const texts = { base: await trees.bytesOf(base), there: await trees.bytesOf(there), said };
  const merged = await mergeFile(texts);
  if (merged === undefined) return { problem: tell.conflict, isLeft: true };
  return { isLeft: true, ...(blobId(merged) !== there && { written: async () => merged, problem: tell.merged }) };
}

const tell = {
  gone: { kind: 'warning', message: 'It was deleted in the repository. The commit restores it.' },
  replaced: {
    kind: 'warning',
    message: 'The commit overwrites it. Its version in the repository is unknown to the space.',
  },
  newer: { kind: 'warning', message: 'Kept, because it changed in the repository but not in the space.' },
  conflict: {
    kind: 'failed',
    message: 'Not written, because it changed in both the repository and the space, and git could not merge it.',
  },
  merged: { kind: 'warning', message: 'Changed in both the repository and the space, and merged by git.' },
} as const;
