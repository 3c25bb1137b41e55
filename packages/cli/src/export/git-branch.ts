import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../failure.ts';
import { git, gitText, runGit } from '../sync/git.ts';
import { requireCommitted } from '../sync/work-tree.ts';
import { type NewCommit, type TreeChange, writeCommit } from '../sync/write-commits.ts';

const none = '0'.repeat(40);
const written = 'refs/sync/written';

/** The branch that a repository is on. */
export interface Branch {
  /** Where git is run: the top of a work tree, or a bare repository. */
  folder: string;
  /** The folder in the repository that is meant, with a slash at its end; empty for all of it. */
  root: string;
  /** Its newest commit. */
  tip: string | undefined;
  name: string;
  isBare: boolean;
}

/** @throws Failure where a folder is in no repository, on no branch, or has changes that are not committed */
export async function openBranch(given: string): Promise<Branch> {
  const at = path.resolve(given);
  if (!(await stat(at).catch(() => undefined))?.isDirectory()) throw new Failure(`There is no folder ${given}.`);
  const isBare = (await runGit(at, ['rev-parse', '--is-bare-repository'])).stdout.toString().trim() === 'true';
  const top = await runGit(at, ['rev-parse', isBare ? '--absolute-git-dir' : '--show-toplevel']);
  if (top.code !== 0) throw new Failure(`${given} is in no git repository: \`git init\` makes one.`);
  const folder = top.stdout.toString().trim();
  const inside = isBare ? '' : path.relative(folder, await realpath(at));
  if (!isBare) await requireCommitted(folder, given);
  const head = await runGit(folder, ['symbolic-ref', '-q', 'HEAD']);
  if (head.code !== 0) throw new Failure(`${given} is on no branch: check one out.`);
  const tip = await runGit(folder, ['rev-parse', '-q', '--verify', 'HEAD^{commit}']);
  return {
    folder,
    root: inside === '' ? '' : `${inside.split(path.sep).join('/')}/`,
    tip: tip.code === 0 ? tip.stdout.toString().trim() : undefined,
    name: head.stdout.toString().trim(),
    isBare,
  };
}

/** Makes a change the branch's newest commit, whose files follow in a work tree; gives the commit. @throws Failure */
export async function commitTo(
  branch: Branch,
  change: TreeChange,
  said: Pick<NewCommit, 'author' | 'message'>,
): Promise<string> {
  const { folder, root, tip, name, isBare } = branch;
  if (!isBare) await requireFree(branch, change);
  const commit = await writeCommit(change, { folder, root, parent: tip, ...said });
  try {
    if (isBare) await git(folder, ['update-ref', name, commit, tip ?? none]);
    else await git(folder, ['merge', '-q', '--ff-only', '--no-verify-signatures', '--no-stat', commit]);
  } finally {
    await gitText(folder, ['update-ref', '-d', written]);
  }
  return commit;
}

/** What git does not know of is not overwritten. */
async function requireFree({ folder, root, tip }: Branch, change: TreeChange): Promise<void> {
  const known = tip === undefined ? '' : (await git(folder, ['ls-tree', '-r', '-z', '--name-only', tip])).toString();
  const paths = new Set(known.split('\0'));
  for (const at of change.written.keys()) {
    const isNew = !paths.has(root + at);
    if (isNew && (await lstat(path.join(folder, ...root.split('/'), ...at.split('/'))).catch(() => undefined)))
      throw new Failure(`${root}${at} is there and is not committed: nothing was written.`);
  }
}
