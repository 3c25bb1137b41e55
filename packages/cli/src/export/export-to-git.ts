import { connect } from '../api.ts';
import { blobId } from '../import/blob-id.ts';
import type { ImportProblem } from '../import/problem.ts';
import { git } from '../sync/git.ts';
import { type Tree, Trees } from '../sync/tree.ts';
import { committerOf, isNothing, type TreeChange } from '../sync/write-commits.ts';
import { bytesOf, type ExportOptions } from './export-space.ts';
import { type ExportedSpace, exportedFiles } from './exported.ts';
import { type Branch, commitTo, openBranch } from './git-branch.ts';
import { type FormerlyHeld, heldBefore } from './held-before.ts';
import { Occupied } from './occupied.ts';
import { readSpace } from './read-space.ts';

/** What an export made of a branch. */
export interface GitExport extends ExportedSpace {
  /** Left out where nothing differs. */
  commit?: { id: string; subject: string; written: number; removed: number };
  /** What was not written or not taken away, and why. */
  problems: ImportProblem[];
}

/** Makes what a space holds one commit on the branch that a work tree or a bare repository is on. @throws Failure */
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
  const { change, problems } = await changeOf(exported, { held, tree, occupied: await occupiedIn(branch) });
  if (isNothing(change)) return { ...exported, problems };
  const subject = `${title}: revision ${content.revision}`;
  const message = `${subject}\n\nOctavo-Space: ${id}\nOctavo-Revision: ${content.revision}\n`;
  const commit = await commitTo(branch, change, { author: await committerOf(branch.folder), message });
  const [written, removed] = [change.written.size, change.removed.length];
  return { ...exported, problems, commit: { id: commit, subject, written, removed } };
}

async function occupiedIn({ folder, root, tip }: Branch): Promise<Occupied> {
  const listed = tip === undefined ? '' : (await git(folder, ['ls-tree', '-r', '-z', '--name-only', tip])).toString();
  const inside = listed.split('\0').filter((path) => path.startsWith(root));
  return new Occupied(inside.map((path) => path.slice(root.length)).filter(Boolean));
}

interface Standing {
  held: FormerlyHeld;
  tree: Tree;
  occupied: Occupied;
}

/** What the branch has otherwise: only what the space held is written over or taken away. */
async function changeOf({ files, shared }: ExportedSpace, { held, tree, occupied }: Standing) {
  const change: TreeChange = { written: new Map(), removed: [] };
  const problems: ImportProblem[] = [];
  const isOurs = (path: string) => held.oids.has(path) || (held.isAgain && shared.has(path));
  for (const [path, file] of files) {
    const there = tree.blobs.get(path);
    const known = 'file' in file ? file.file.git?.oid : undefined;
    if (there !== undefined && there.oid === known) continue;
    const read = async () => Buffer.from(await bytesOf(file));
    if (there?.oid !== undefined && there.oid === blobId(await read())) continue;
    const inTheWay = there === undefined ? occupied.inTheWayOf(path) : isOurs(path) ? undefined : path;
    if (inTheWay === undefined) change.written.set(path, { read, mode: there?.mode ?? '100644' });
    else {
      const message = `It is not written: ${inTheWay} is there, which the space never held.`;
      problems.push({ kind: 'failed', path, message });
    }
  }
  for (const [path, oids] of held.oids) {
    const there = tree.blobs.get(path);
    if (there === undefined || files.has(path)) continue;
    if (oids.has(there.oid)) change.removed.push(path);
    else {
      const message = 'It is gone from the space, and is otherwise here than the space held it: it stays.';
      problems.push({ kind: 'warning', path, message });
    }
  }
  return { change, problems };
}
