import { mapConcurrently } from '@octavo/client';
import { readRepository } from '@octavo/outline';
import { makeTargetsRelative, type PlanStep, restoreTargets, type SpaceContent } from '@octavo/space-files';
import type { Api } from '../api.ts';
import { planContent } from '../import/plan.ts';
import { planRemovals } from '../import/removals.ts';
import { runGitForText } from './git.ts';
import { planChanges, type SyncPlan } from './plan-changes.ts';
import type { RepositoryState } from './remote.ts';
import { findChangedTitle, findRemovedFields, removeWrittenFields, type Tree } from './tree.ts';

const concurrency = 8;

interface Compared {
  /** A clone of the repository. */
  folder: string;
  root: string;
  repositoryState: RepositoryState;
  formerTree: Tree;
  tree: Tree;
}

/** Plans the repository's changes since the common state. On the first sync, plans all differences from the space. */
export async function planSync(
  api: Api,
  content: SpaceContent,
  { folder, root, repositoryState, formerTree, tree }: Compared,
): Promise<SyncPlan> {
  const { state, tip, syncedCommit = '' } = repositoryState;
  if (state !== undefined) {
    const renamedPaths =
      tip === undefined
        ? new Map<string, string>()
        : await findRenames(folder, { root, formerCommit: syncedCommit, tip });
    const plan = await planChanges(content, { formerTree, present: tree, renamedPaths });
    return {
      ...plan,
      steps: await mapConcurrently(plan.steps, concurrency, (step) =>
        applyStep(api, step, { content, former: formerTree }),
      ),
    };
  }
  const spaceId = content.space;
  const currentRepository = await readRepository(tree.source);
  const repository = { ...currentRepository, problems: [...currentRepository.problems, ...tree.skippedFiles] };
  const revision = await api.getRevisionById({
    params: { spaceId, revisionId: content.revision },
    query: { computed: 'false' },
  });
  const plan = await planContent(tree.source, repository, { api, revision, spaceId });
  const onlyInSpace = planRemovals({ repository, revision, plan, name: '', isMirror: true });
  return { ...plan, repository, moves: [], deletions: [], deletedPaths: new Map(), onlyInSpace };
}

/**
 * Undoes the changes that an export made to the targets or fields in a step's text. The result is the text as the space
 * would store it.
 */
async function applyStep(
  api: Api,
  step: PlanStep,
  { content, former: formerTree }: { content: SpaceContent; former: Tree },
): Promise<PlanStep> {
  const { entry, present, document } = step;
  const { space: spaceId, revision: revisionId, names: paths, deletedPaths, outputLocations } = content;
  if (!document || present === undefined || entry.kind !== 'page' || entry.file === undefined) return step;
  const { path } = entry.file;
  const isWritten = paths.get(present.id) === path && formerTree.blobs.has(path);
  if (!isWritten || formerTree.blobs.get(path)?.oid === present.git?.oid) return step;
  const page = await api.getPageInRevisionById({ params: { spaceId, revisionId, pageId: present.id } });
  if (page.type !== 'document') return step;
  const heldText = { text: page.markdown ?? '', path, links: page.links, resolvedLinks: page.git?.links };
  const targets = { paths, deletedPaths, servedPaths: outputLocations.servedFolder };
  const formerText = new TextDecoder().decode(await formerTree.source.read(path));
  const versions = { former: formerText, current: entry.file.text, held: makeTargetsRelative(heldText, targets) };
  const text = removeWrittenFields(restoreTargets(heldText, entry.file.text, targets), versions);
  const title = step.title ?? (entry.title === undefined ? findChangedTitle(versions, present.title) : undefined);
  // Child pages are looked up by this object, so modify the object in place.
  entry.file = { ...entry.file, text };
  return { ...step, fields: findRemovedFields(versions), ...(title !== undefined && { title }) };
}

async function findRenames(
  folder: string,
  { root, formerCommit, tip }: { root: string; formerCommit: string; tip: string },
) {
  const args = ['diff-tree', '-r', '-z', '-M', '--diff-filter=R', '--name-status', formerCommit, tip];
  const words = (await runGitForText(folder, args)).split('\0');
  const renamedPaths = new Map<string, string>();
  for (let offset = 0; offset + 2 < words.length; offset += 3) {
    const [from = '', to = ''] = words.slice(offset + 1, offset + 3);
    if (from.startsWith(root) && to.startsWith(root)) renamedPaths.set(from.slice(root.length), to.slice(root.length));
  }
  return renamedPaths;
}
