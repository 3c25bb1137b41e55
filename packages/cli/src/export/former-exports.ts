import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { mapConcurrently } from '@octavo/client';
import { isApiError, type Revision } from '@octavo/schema';
import { presentTree, readSpace, type SpaceContent, type TargetTree, walkPresent } from '@octavo/space-files';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import { callGit, runGit, runGitForText } from '../sync/git.ts';
import { type NewCommit, type TreeChange, writeCommit } from '../sync/points.ts';
import type { Trees } from '../sync/tree.ts';
import { requireCommitted } from '../sync/work-tree.ts';

const emptyOid = '0'.repeat(40);
const writtenRef = 'refs/sync/written';

/** The current branch of a repository. */
export interface Branch {
  /** The folder in which Git runs: the top level of a work tree, or a bare repository. */
  folder: string;
  /** The folder in the repository to write to, with a trailing slash; empty for the whole repository. */
  root: string;
  /** The branch's newest commit. */
  tip: string | undefined;
  name: string;
  isBare: boolean;
}

/**
 * Opens the current branch of the repository that contains a folder.
 * @throws Failure if the folder is not in a repository, is not on a branch, or has uncommitted changes
 */
export async function openBranch(directory: string): Promise<Branch> {
  const absolutePath = path.resolve(directory);
  if (!(await stat(absolutePath).catch(() => undefined))?.isDirectory())
    throw new Failure(`The folder ${directory} does not exist.`);
  const isBare =
    (await runGit(absolutePath, ['rev-parse', '--is-bare-repository'])).stdout.toString().trim() === 'true';
  const top = await runGit(absolutePath, ['rev-parse', isBare ? '--absolute-git-dir' : '--show-toplevel']);
  if (top.code !== 0) throw new Failure(`${directory} is not in a git repository. Run \`git init\` to create one.`);
  const folder = top.stdout.toString().trim();
  const inside = isBare ? '' : path.relative(folder, await realpath(absolutePath));
  if (!isBare) await requireCommitted(folder, directory);
  const head = await runGit(folder, ['symbolic-ref', '-q', 'HEAD']);
  if (head.code !== 0) throw new Failure(`${directory} is not on a branch. Check one out.`);
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
export async function commitChange(
  branch: Branch,
  change: TreeChange,
  commitDetails: Pick<NewCommit, 'author' | 'message'>,
): Promise<string> {
  const { folder, root, tip, name, isBare } = branch;
  if (!isBare) await requireNoUntrackedFiles(branch, change);
  const commit = await writeCommit(change, { folder, root, parent: tip, ...commitDetails });
  try {
    if (isBare) await callGit(folder, ['update-ref', name, commit, tip ?? emptyOid]);
    else await callGit(folder, ['merge', '-q', '--ff-only', '--no-verify-signatures', '--no-stat', commit]);
  } finally {
    await runGitForText(folder, ['update-ref', '-d', writtenRef]);
  }
  return commit;
}

/** Checks that no untracked file would be overwritten. @throws Failure */
async function requireNoUntrackedFiles({ folder, root, tip }: Branch, change: TreeChange): Promise<void> {
  const existingPaths =
    tip === undefined ? '' : (await callGit(folder, ['ls-tree', '-r', '-z', '--name-only', tip])).toString();
  const paths = new Set(existingPaths.split('\0'));
  for (const changedPath of change.files.keys()) {
    const isNew = !paths.has(root + changedPath);
    if (isNew && (await lstat(path.join(folder, ...root.split('/'), ...changedPath.split('/'))).catch(() => undefined)))
      throw new Failure(`${root}${changedPath} exists but is not committed. Nothing was written.`);
  }
}

const stepsAtMost = 100;
const mergesAtMost = 20;
const readAtOnce = 4;
const exportsAtMost = 20;
/**
 * Prefix of a line in an export's commit message. The line names a file that differs from the space after the export.
 */
export const leftMark = 'Octavo-Left: ';

/** The former content of a space, as known from the last export and the merges since then. */
export interface FormerContent {
  /** IDs of the blobs that the space had, by path. */
  oids: Map<string, Set<string>>;
  /**
   * IDs of the blobs that were imported after the last export, by path. An older blob cannot be the common base of a
   * merge.
   */
  renewedOids: ReadonlyMap<string, string>;
  /** Whether the space was exported to the branch before. */
  wasExportedBefore: boolean;
  /** Names of the space's variables at the last export, if there was one. */
  variables: Set<string> | undefined;
  /** Paths that items had at the last export, by ID. Contains only items that have been deleted since then. */
  deletedPaths: ReadonlyMap<string, string>;
}

/** Returns the current and former content of a space. Only this content may be overwritten or deleted. */
export async function findFormerContent(
  api: Api,
  content: SpaceContent,
  { branch, trees, target }: { branch: Branch; trees: Trees; target: TargetTree },
): Promise<FormerContent> {
  const oids = new Map<string, Set<string>>();
  const add = (path: string, oid: string) => oids.set(path, (oids.get(path) ?? new Set()).add(oid));
  const exports = await findFormerExports(branch, content.space);
  const [formerExport] = exports;
  const before = formerExport && (await ignoreNotFound(readSpace(api, content.space, formerExport.revision, target)));
  let missingOids = [...(before?.names.values() ?? [])];
  for (const { commit, keptPaths } of exports) {
    if (missingOids.length === 0) break;
    const { blobs } = await trees.read(commit);
    for (const path of missingOids) {
      const oid = keptPaths.has(path) ? undefined : blobs.get(path)?.oid;
      if (oid !== undefined) add(path, oid);
    }
    missingOids = missingOids.filter((path) => keptPaths.has(path));
  }
  // A file that the last export left unchanged may come from an import or merge before that export.
  const open = new Set(missingOids);
  const merges = await findMergesSince(api, content, open.size > 0 ? undefined : formerExport?.revision);
  const params = { spaceId: content.space };
  const query = { computed: 'false' } as const;
  for (const { path, oid } of getSources(content)) add(path, oid);
  const revisions = await mapConcurrently(merges, readAtOnce, (revisionId) =>
    ignoreNotFound(api.getRevisionById({ params: { ...params, revisionId }, query })),
  );
  for (const revision of revisions) {
    const sources = revision && getSources({ ...revision, pages: presentTree(revision.pages) });
    for (const { path, oid } of sources ?? []) add(path, oid);
  }
  const sources = before && new Map(getSources(before).map(({ path, oid }) => [path, oid]));
  const renewedSources = sources ? getSources(content).filter(({ path, oid }) => sources.get(path) !== oid) : [];
  const variables = before && new Set(Object.keys(before.variables));
  const deletedPaths = new Map([...(before?.names ?? [])].filter(([id]) => !content.names.has(id)));
  return {
    oids,
    renewedOids: new Map(renewedSources.map(({ path, oid }) => [path, oid])),
    ...{ wasExportedBefore: formerExport !== undefined, variables, deletedPaths },
  };
}

const getSources = ({ pages, files, reusableContents }: Pick<SpaceContent, 'pages' | 'files' | 'reusableContents'>) =>
  [...walkPresent(pages), ...files, ...reusableContents].flatMap(({ git }) => git ?? []);

interface FormerExport {
  commit: string;
  revision: string;
  keptPaths: ReadonlySet<string>;
}

/** Decodes a path. A malformed path, which another tool must have written, is returned unchanged. */
function decodeText(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** Returns the newest commits that exports of the space made on the branch, with the revisions that they contain. */
async function findFormerExports({ folder, tip }: Branch, space: string): Promise<FormerExport[]> {
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
      const readMarks = (mark: string) =>
        lines.flatMap((line) => (line.startsWith(mark) ? line.slice(mark.length) : []));
      const revision = readMarks('Octavo-Revision: ').at(-1);
      return revision === undefined
        ? []
        : [{ commit, revision, keptPaths: new Set(readMarks(leftMark).map(decodeText)) }];
    });
}

/** Returns the newest merges of a space after a revision. */
async function findMergesSince(
  api: Api,
  { space, revision }: SpaceContent,
  revisionId: string | undefined,
): Promise<string[]> {
  const merges: string[] = [];
  const query = { computed: 'false', depth: '0' } as const;
  let id: string | undefined = revision;
  for (let steps = 0; steps < stepsAtMost && merges.length < mergesAtMost; steps += 1) {
    if (id === undefined || id === revisionId) break;
    const revision: Revision | undefined = await ignoreNotFound(
      api.getRevisionById({ params: { spaceId: space, revisionId: id }, query }),
    );
    if (revision?.mergedFrom !== undefined) merges.push(id);
    id = revision?.parents[0];
  }
  return merges.filter((each) => each !== revision);
}

/** Returns undefined if the resource no longer exists. */
async function ignoreNotFound<Value>(request: Promise<Value>): Promise<Value | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isApiError(error) && error.type === 'not_found') return undefined;
    throw error;
  }
}
