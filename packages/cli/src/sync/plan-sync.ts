import { mapConcurrently } from '@octavo/client';
import { readRepository } from '@octavo/outline';
import type { Api } from '../api.ts';
import { addTargets, withRelativeTargets } from '../export/file-names.ts';
import type { SpaceContent } from '../export/read-space.ts';
import { type PlanStep, planContent } from '../import/plan.ts';
import { planRemovals } from '../import/removals.ts';
import { gitText } from './git.ts';
import { planChanges, type SyncPlan } from './plan-changes.ts';
import type { RepositoryState } from './remote.ts';
import { findChangedTitle, type Tree, takenOut, withoutWritten } from './tree.ts';

const concurrency = 8;

interface Compared {
  /** A clone of the repository, and the folder in it that is synced with the space. */
  folder: string;
  root: string;
  standing: RepositoryState;
  former: Tree;
  tree: Tree;
}

/** Plans the repository's changes since the common state. On the first sync, plans all differences from the space. */
export async function planSync(
  api: Api,
  content: SpaceContent,
  { folder, root, standing, former, tree }: Compared,
): Promise<SyncPlan> {
  const { state, tip, kept = '' } = standing;
  if (state !== undefined) {
    const renamed = tip === undefined ? new Map<string, string>() : await renames(folder, { root, former: kept, tip });
    const plan = await planChanges(content, { former, present: tree, renamed });
    return {
      ...plan,
      steps: await mapConcurrently(plan.steps, concurrency, (step) => asHeld(api, step, { content, former })),
    };
  }
  const spaceId = content.space;
  const read = await readRepository(tree.source);
  const repository = { ...read, problems: [...read.problems, ...tree.left] };
  const revision = await api.getRevisionById({
    params: { spaceId, revisionId: content.revision },
    query: { computed: 'false' },
  });
  const plan = await planContent(tree.source, repository, { api, revision, spaceId });
  const onlyInSpace = planRemovals({ repository, revision, plan, name: '', isMirror: true });
  return { ...plan, repository, moves: [], deletions: [], gone: new Map(), onlyInSpace };
}

/** Returns a step with the text as the space would store it, if an export had rewritten its targets or fields. */
async function asHeld(
  api: Api,
  step: PlanStep,
  { content, former }: { content: SpaceContent; former: Tree },
): Promise<PlanStep> {
  const { wanted, present, document } = step;
  const { space: spaceId, revision: revisionId, names: paths, gone, places } = content;
  if (!document || present === undefined || wanted.kind !== 'page' || wanted.file === undefined) return step;
  const { path } = wanted.file;
  const isWritten = paths.get(present.id) === path && former.blobs.has(path);
  if (!isWritten || former.blobs.get(path)?.oid === present.git?.oid) return step;
  const page = await api.getPageInRevisionById({ params: { spaceId, revisionId, pageId: present.id } });
  if (page.type !== 'document') return step;
  const held = { text: page.markdown ?? '', path, links: page.links, meant: page.git?.links };
  const targets = { paths, gone, served: places.served };
  const was = new TextDecoder().decode(await former.source.read(path));
  const versions = { was, is: wanted.file.text, held: withRelativeTargets(held, targets) };
  const text = withoutWritten(addTargets(held, wanted.file.text, targets), versions);
  const title = step.title ?? (wanted.title === undefined ? findChangedTitle(versions, present.title) : undefined);
  // Pages below are looked up by this object, so modify it in place.
  wanted.file = { ...wanted.file, text };
  return { ...step, fields: takenOut(versions), ...(title !== undefined && { title }) };
}

async function renames(folder: string, { root, former, tip }: { root: string; former: string; tip: string }) {
  const args = ['diff-tree', '-r', '-z', '-M', '--diff-filter=R', '--name-status', former, tip];
  const words = (await gitText(folder, args)).split('\0');
  const renamed = new Map<string, string>();
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [from = '', to = ''] = words.slice(at + 1, at + 3);
    if (from.startsWith(root) && to.startsWith(root)) renamed.set(from.slice(root.length), to.slice(root.length));
  }
  return renamed;
}
