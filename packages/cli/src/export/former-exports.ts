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

/** The current branch of a repository. */
export interface Branch {
  /** The folder in which Git runs: the top level of a work tree, or a bare repository. */
  folder: string;
  /** The folder in the repository to write to, with a trailing slash; empty for the whole repository. */
  root: string;
  /** Its newest commit. */
  tip: string | undefined;
  name: string;
  isBare: boolean;
}

/**
 * Opens the current branch of the repository that contains a folder.
 * @throws Failure if the folder is not in a repository, is not on a branch, or has uncommitted changes
 */
export async function openBranch(given: string): Promise<Branch> {
  const at = path.resolve(given);
  if (!(await stat(at).catch(() => undefined))?.isDirectory()) throw new Failure(`The folder ${given} does not exist.`);
  const isBare = (await runGit(at, ['rev-parse', '--is-bare-repository'])).stdout.toString().trim() === 'true';
  const top = await runGit(at, ['rev-parse', isBare ? '--absolute-git-dir' : '--show-toplevel']);
  if (top.code !== 0) throw new Failure(`${given} is not in a git repository. Run \`git init\` to create one.`);
  const folder = top.stdout.toString().trim();
  const inside = isBare ? '' : path.relative(folder, await realpath(at));
  if (!isBare) await requireCommitted(folder, given);
  const head = await runGit(folder, ['symbolic-ref', '-q', 'HEAD']);
  if (head.code !== 0) throw new Failure(`${given} is not on a branch. Check one out.`);
  const tip = await runGit(folder, ['rev-parse', '-q', '--verify', 'HEAD^{commit}']);
  return {
    folder,
    root: inside === '' ? '' : `${inside.split(path.sep).join('/')}/`,
    tip: tip.code === 0 ? tip.stdout.toString().trim() : undefined,
    name: head.stdout.toString().trim(),
    isBare,
  };
}

/** Commits a change to the branch and updates the work tree. Returns the commit. @throws Failure */
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

/** Checks that no untracked file would be overwritten. @throws Failure */
async function requireFree({ folder, root, tip }: Branch, change: TreeChange): Promise<void> {
  const known = tip === undefined ? '' : (await git(folder, ['ls-tree', '-r', '-z', '--name-only', tip])).toString();
  const paths = new Set(known.split('\0'));
  for (const at of change.written.keys()) {
    const isNew = !paths.has(root + at);
    if (isNew && (await lstat(path.join(folder, ...root.split('/'), ...at.split('/'))).catch(() => undefined)))
      throw new Failure(`${root}${at} exists but is not committed. Nothing was written.`);
  }
}

const stepsAtMost = 100;
const mergesAtMost = 20;
const readAtOnce = 4;
const exportsAtMost = 20;
/** Prefix of a line in an export's commit message: a file that differs from the space after the export. */
export const leftMark = 'Octavo-Left: ';

/** The former content of a space, as far as an earlier export and the merges since then show it. */
export interface FormerlyHeld {
  /** IDs of the blobs that the space had, by path. */
  oids: Map<string, Set<string>>;
  /** IDs of the blobs imported since the last export, by path. No older blob can be the common base. */
  renewed: ReadonlyMap<string, string>;
  /** Whether the space was exported to the branch before. */
  isAgain: boolean;
  /** Names of its variables at the last export, if there was one. */
  variables: Set<string> | undefined;
  /** Paths at the last export of items that have been deleted since, by ID. */
  gone: ReadonlyMap<string, string>;
}

/** Returns the current and former content of a space. Only this content may be overwritten or deleted. */
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
  // A file that an export left unchanged may match an import or merge before that export.
  const open = new Set(wanted);
  const merges = await mergesSince(api, content, open.size > 0 ? undefined : former?.revision);
  const params = { spaceId: content.space };
  const query = { computed: 'false' } as const;
  for (const { path, oid } of getSources(content)) add(path, oid);
  const revisions = await mapConcurrently(merges, readAtOnce, (revisionId) =>
    existing(api.getRevisionById({ params: { ...params, revisionId }, query })),
  );
  for (const revision of revisions) {
    const sources = revision && getSources({ ...revision, pages: presentTree(revision.pages) });
    for (const { path, oid } of sources ?? []) add(path, oid);
  }
  const sources = before && new Map(getSources(before).map(({ path, oid }) => [path, oid]));
  const renewed = sources ? getSources(content).filter(({ path, oid }) => sources.get(path) !== oid) : [];
  const variables = before && new Set(Object.keys(before.variables));
  const gone = new Map([...(before?.names ?? [])].filter(([id]) => !content.names.has(id)));
  return {
    oids,
    renewed: new Map(renewed.map(({ path, oid }) => [path, oid])),
    ...{ isAgain: former !== undefined, variables, gone },
  };
}

const getSources = ({ pages, files, reusableContents }: Pick<SpaceContent, 'pages' | 'files' | 'reusableContents'>) =>
  [...walkPresent(pages), ...files, ...reusableContents].flatMap(({ git }) => git ?? []);

interface FormerExport {
  commit: string;
  revision: string;
  left: ReadonlySet<string>;
}

/** Decodes a path. A malformed path, which another tool must have written, is returned unchanged. */
function decodeText(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** Returns the newest commits that exports of the space made on the branch, with the revisions that they contain. */
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
      return revision === undefined ? [] : [{ commit, revision, left: new Set(said(leftMark).map(decodeText)) }];
    });
}

/** Returns the newest merges of a space after a revision. */
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

/** Returns undefined if the resource no longer exists. */
async function existing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isApiError(error) && error.type === 'not_found') return undefined;
    throw error;
  }
}
