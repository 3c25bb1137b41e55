import { bytesOf } from '../export/export-space.ts';
import type { ExportedNodes, ExportedSpace } from '../export/exported.ts';
import type { Exported } from '../export/read-space.ts';
import { Failure } from '../failure.ts';
import { blobId } from '../import/blob-id.ts';
import type { Blob, Tree } from './tree.ts';
import type { TreeChange } from './write-commits.ts';

/** What both sides held: what the space wrote to which path, and the tree of the repository. */
export interface Held {
  nodes: ExportedNodes;
  tree: Tree;
}

export interface Judged extends TreeChange {
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
