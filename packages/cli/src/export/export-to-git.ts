import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ExportedSpace, exportFiles, getBytes, readSpace } from '@octavo/space-files';
import { connect } from '../api.ts';
import { hashBlob, type ImportProblem } from '../import/source.ts';
import { callGit, runGit } from '../sync/git.ts';
import { getCommitter, isEmpty, type TreeChange } from '../sync/points.ts';
import { type Tree, Trees } from '../sync/tree.ts';
import type { ExportOptions } from './exported.ts';
import {
  type Branch,
  commitChange,
  type FormerContent,
  findFormerContent,
  leftMark,
  openBranch,
} from './former-exports.ts';

/** All paths in a tree, including links, and the folders that contain them. */
class OccupiedPaths {
  readonly #paths: ReadonlySet<string>;
  readonly #folders = new Set<string>();

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths);
    for (const path of paths) for (const slash of path.matchAll(/\//g)) this.#folders.add(path.slice(0, slash.index));
  }

  /** Returns the path that blocks a new file: a link, a file where a folder is needed, or a folder. */
  findObstacle(path: string): string | undefined {
    if (this.#paths.has(path) || this.#folders.has(path)) return path;
    const ancestors = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
    return ancestors.find((folder) => this.#paths.has(folder));
  }
}

interface TextVersionsOfFile {
  base: Buffer;
  /** The text in the repository. */
  current: Buffer;
  /** The text in the space. */
  exported: Buffer;
}

/**
 * Merges a file with `git merge-file`. Undefined if both sides have changed the same lines, or if the file is not text.
 */
async function mergeFile({ base, current, exported }: TextVersionsOfFile): Promise<Buffer | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-merge-'));
  try {
    const files = Object.entries({ current, base, exported });
    await Promise.all(files.map(([name, bytes]) => writeFile(path.join(folder, name), bytes)));
    const { code, stdout } = await runGit(folder, ['merge-file', '-p', '-q', ...files.map(([name]) => name)]);
    return code === 0 ? stdout : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the given blob IDs that the repository contains or once contained. Only these blobs can be the common base of
 * both sides.
 */
async function findKnownObjects({ folder }: Branch, oids: readonly string[]): Promise<Set<string>> {
  if (oids.length === 0) return new Set();
  const objects = await callGit(
    folder,
    ['cat-file', '--batch-check=%(objectname) %(objecttype)'],
    `${oids.join('\n')}\n`,
  );
  const lines = objects.toString().split('\n');
  return new Set(lines.flatMap((line) => (line.endsWith(' blob') ? [line.slice(0, -' blob'.length)] : [])));
}

/** The result of an export to a branch. */
export interface GitExport extends ExportedSpace {
  /** The new commit. Omitted if the branch and the space have the same content. */
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
  const formerlyHeld = await findFormerContent(api, content, { branch, trees, target: tree });
  const names = new Set(content.names.values());
  const paths = tree.source.paths.filter((path) => names.has(path) || !formerlyHeld.oids.has(path));
  const total = names.size;
  let exportedCount = 0;
  const exported = await exportFiles(
    api,
    { ...content, deletedPaths: formerlyHeld.deletedPaths },
    {
      target: { ...tree.source, paths },
      ...(formerlyHeld.variables && { heldVariables: formerlyHeld.variables }),
      keepsUnlisted: true,
      onRead: () => {
        exportedCount += 1;
        onProgress?.(exportedCount, total);
      },
    },
  );
  const knownOids = await findKnownObjects(
    branch,
    [...formerlyHeld.oids.values()].flatMap((oids) => [...oids]),
  );
  const occupiedPaths = await readOccupiedPaths(branch);
  const { change, problems, left } = await getChange(exported, { formerlyHeld, tree, trees, knownOids, occupiedPaths });
  if (isEmpty(change)) return { ...exported, problems };
  const lines = left.map((path) => `${leftMark}${encodeURIComponent(path)}\n`);
  const subject = `${title}: revision ${content.revision}`;
  const message = `${subject}\n\nOctavo-Space: ${id}\nOctavo-Revision: ${content.revision}\n${lines.join('')}`;
  const commit = await commitChange(branch, change, { author: await getCommitter(branch.folder), message });
  const [written, removed] = [change.files.size, change.removed.length];
  return { ...exported, problems, commit: { id: commit, subject, written, removed } };
}

async function readOccupiedPaths({ folder, root, tip }: Branch): Promise<OccupiedPaths> {
  const paths =
    tip === undefined ? '' : (await callGit(folder, ['ls-tree', '-r', '-z', '--name-only', tip])).toString();
  const inside = paths.split('\0').filter((path) => path.startsWith(root));
  return new OccupiedPaths(inside.map((path) => path.slice(root.length)).filter(Boolean));
}

interface RepositoryState {
  formerlyHeld: FormerContent;
  tree: Tree;
  trees: Trees;
  /** IDs of the blobs that the repository has or had. */
  knownOids: ReadonlySet<string>;
  occupiedPaths: OccupiedPaths;
}

/** Returns the changes to the branch. Only files that came from the space are overwritten or deleted. */
async function getChange({ files, shared }: ExportedSpace, state: RepositoryState) {
  const { formerlyHeld, tree, occupiedPaths } = state;
  const change: TreeChange = { files: new Map(), removed: [] };
  const problems: ImportProblem[] = [];
  const keptPaths: string[] = [];
  const isFromSpace = (path: string) =>
    formerlyHeld.oids.has(path) || (formerlyHeld.wasExportedBefore && shared.has(path));
  for (const [path, file] of files) {
    const blob = tree.blobs.get(path);
    const knownOid = 'file' in file ? file.file.git?.oid : undefined;
    if (blob !== undefined && blob.oid === knownOid) continue;
    const readBytes = async () => Buffer.from(await getBytes(file));
    if (blob?.oid !== undefined && blob.oid === hashBlob(await readBytes())) continue;
    const inTheWay = blob === undefined ? occupiedPaths.findObstacle(path) : isFromSpace(path) ? undefined : path;
    if (inTheWay !== undefined) {
      const message = `Not written, because ${inTheWay} exists and is not from this space.`;
      problems.push({ kind: 'failed', path, message });
      continue;
    }
    const { written, problem, isLeft }: ExportedFileContent = shared.has(path)
      ? { written: readBytes }
      : await prepareFile(path, readBytes, state);
    if (problem) problems.push({ ...problem, path });
    if (isLeft) keptPaths.push(path);
    if (written) change.files.set(path, { readBytes: written, mode: blob?.mode ?? '100644' });
  }
  for (const [path, oids] of formerlyHeld.oids) {
    const blob = tree.blobs.get(path);
    if (blob === undefined || files.has(path)) continue;
    if (oids.has(blob.oid)) change.removed.push(path);
    else {
      const message = 'Kept, because it was deleted in the space but changed in the repository.';
      problems.push({ kind: 'warning', path, message });
    }
  }
  return { change, problems, left: keptPaths };
}

interface ExportedFileContent {
  /** Returns the bytes to write. Undefined if the file in the repository is left unchanged. */
  written?: () => Promise<Buffer>;
  problem?: Pick<ImportProblem, 'kind' | 'message'>;
  /** Whether the file in the repository differs from the space after this commit. */
  isLeft?: true;
}

/**
 * Returns the space's version of a file, merged with the changes in the repository since both sides had the same
 * version.
 */
async function prepareFile(
  path: string,
  readBytes: () => Promise<Buffer>,
  { formerlyHeld, tree, trees, knownOids }: RepositoryState,
): Promise<ExportedFileContent> {
  const currentOid = tree.blobs.get(path)?.oid;
  const newOid = formerlyHeld.renewedOids.get(path);
  const isRenewed = newOid !== undefined && knownOids.has(newOid);
  const oids = isRenewed ? [newOid] : [...(formerlyHeld.oids.get(path) ?? [])];
  const base = oids.find((oid) => knownOids.has(oid));
  if (currentOid === undefined) return { written: readBytes, ...(base !== undefined && { problem: handlers.gone }) };
  if (oids.includes(currentOid)) return { written: readBytes };
  if (base === undefined) return { written: readBytes, problem: handlers.replaced };
  const bytes = await readBytes();
  if (hashBlob(bytes) === base) return { problem: handlers.newer, isLeft: true };
  const texts = { base: await trees.readBytes(base), current: await trees.readBytes(currentOid), exported: bytes };
  const merged = await mergeFile(texts);
  if (merged === undefined) return { problem: handlers.conflict, isLeft: true };
  return {
    isLeft: true,
    ...(hashBlob(merged) !== currentOid && { written: async () => merged, problem: handlers.merged }),
  };
}

const handlers = {
  gone: { kind: 'warning', message: 'It was deleted in the repository. The commit restores it.' },
  replaced: {
    kind: 'warning',
    message: 'The commit overwrites this file. Its version in the repository was never imported into the space.',
  },
  newer: { kind: 'warning', message: 'Kept, because it changed in the repository but not in the space.' },
  conflict: {
    kind: 'failed',
    message: 'Not written, because it changed in both the repository and the space, and git could not merge it.',
  },
  merged: { kind: 'warning', message: 'Changed in both the repository and the space, and merged by git.' },
} as const;
