import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { mapConcurrently } from '@octavo/client';
import { isApiError, type Revision } from '@octavo/schema';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import { presentTree, walkPresent } from '../import/present.ts';
import { git, gitText, runGit } from '../sync/git.ts';
import { type NewCommit, type TreeChange, writeCommit } from '../sync/points.ts';
import type { Trees } from '../sync/tree.ts';
import { requireCommitted } from '../sync/work-tree.ts';
import { readSpace, type SpaceContent, type TargetTree } from './read-space.ts';

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

const stepsAtMost = 100;
const mergesAtMost = 20;
const readAtOnce = 4;
const exportsAtMost = 20;
/** A line of the message of an export's commit: a file that the repository has otherwise than the space said then. */
export const leftMark = 'Octavo-Left: ';

/** What a space held, as far as an earlier export and the merges since tell. */
export interface FormerlyHeld {
  /** The ids of the bytes that it held at each path. */
  oids: Map<string, Set<string>>;
  /** The ids of the bytes that imports have brought since the last export: nothing older is what both had. */
  renewed: ReadonlyMap<string, string>;
  /** Whether it was exported to the branch before. */
  isAgain: boolean;
  /** The names of its variables at the last export, where there was one. */
  variables: Set<string> | undefined;
  /** Where things were at the last export that are no more, by their ids. */
  gone: ReadonlyMap<string, string>;
}

/** What a space held before, and holds now: only that may be written over or taken away. */
export async function heldBefore(
  api: Api,
  content: SpaceContent,
  { branch, trees, target }: { branch: Branch; trees: Trees; target: TargetTree },
): Promise<FormerlyHeld> {
  const oids = new Map<string, Set<string>>();
  const add = (path: string, oid: string) => oids.set(path, (oids.get(path) ?? new Set()).add(oid));
  const exports = await formerExports(branch, content.space);
  const [former] = exports;
  const before = former && (await existing(readSpace(api, content.space, former.revision, target)));
  let wanted = [...(before?.names.values() ?? [])];
  for (const { commit, left } of exports) {
    if (wanted.length === 0) break;
    const { blobs } = await trees.read(commit);
    for (const path of wanted) {
      const oid = left.has(path) ? undefined : blobs.get(path)?.oid;
      if (oid !== undefined) add(path, oid);
    }
    wanted = wanted.filter((path) => left.has(path));
  }
  // What an export left as it was may be what an import or a merge before it held.
  const open = new Set(wanted);
  const merges = await mergesSince(api, content, open.size > 0 ? undefined : former?.revision);
  const params = { spaceId: content.space };
  const query = { computed: 'false' } as const;
  for (const { path, oid } of sourcesOf(content)) add(path, oid);
  const revisions = await mapConcurrently(merges, readAtOnce, (revisionId) =>
    existing(api.getRevisionById({ params: { ...params, revisionId }, query })),
  );
  for (const revision of revisions) {
    const sources = revision && sourcesOf({ ...revision, pages: presentTree(revision.pages) });
    for (const { path, oid } of sources ?? []) add(path, oid);
  }
  const sources = before && new Map(sourcesOf(before).map(({ path, oid }) => [path, oid]));
  const renewed = sources ? sourcesOf(content).filter(({ path, oid }) => sources.get(path) !== oid) : [];
  const variables = before && new Set(Object.keys(before.variables));
  const gone = new Map([...(before?.names ?? [])].filter(([id]) => !content.names.has(id)));
  return {
    oids,
    renewed: new Map(renewed.map(({ path, oid }) => [path, oid])),
    ...{ isAgain: former !== undefined, variables, gone },
  };
}

const sourcesOf = ({ pages, files, reusableContents }: Pick<SpaceContent, 'pages' | 'files' | 'reusableContents'>) =>
  [...walkPresent(pages), ...files, ...reusableContents].flatMap(({ git }) => git ?? []);

interface FormerExport {
  commit: string;
  revision: string;
  left: ReadonlySet<string>;
}

/** A path as it was encoded; what somebody else wrote there is none. */
function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** The newest commits of the branch that an export of the space made, and the revisions that they hold. */
async function formerExports({ folder, tip }: Branch, space: string): Promise<FormerExport[]> {
  if (tip === undefined) return [];
  const grep = `--grep=^Octavo-Space: ${space}$`;
  const args = ['log', '-z', `-${exportsAtMost}`, '--no-show-signature', '--format=%H%n%B', grep, tip];
  const { code, stdout } = await runGit(folder, args);
  if (code !== 0) return [];
  return stdout
    .toString()
    .split('\0')
    .flatMap((each) => {
      const [commit = '', ...lines] = each.split('\n');
      const said = (mark: string) => lines.flatMap((line) => (line.startsWith(mark) ? line.slice(mark.length) : []));
      const revision = said('Octavo-Revision: ').at(-1);
      return revision === undefined ? [] : [{ commit, revision, left: new Set(said(leftMark).map(decoded)) }];
    });
}

/** The newest merges of a space that came after a revision. */
async function mergesSince(api: Api, { space, revision }: SpaceContent, former: string | undefined): Promise<string[]> {
  const merges: string[] = [];
  const query = { computed: 'false', depth: '0' } as const;
  let id: string | undefined = revision;
  for (let steps = 0; steps < stepsAtMost && merges.length < mergesAtMost; steps += 1) {
    if (id === undefined || id === former) break;
    const found: Revision | undefined = await existing(
      api.getRevisionById({ params: { spaceId: space, revisionId: id }, query }),
    );
    if (found?.mergedFrom !== undefined) merges.push(id);
    id = found?.parents[0];
  }
  return merges.filter((each) => each !== revision);
}

/** Undefined where it is not there any more. */
async function existing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isApiError(error) && error.type === 'not_found') return undefined;
    throw error;
  }
}
