import { readRepository } from '@octavo/outline';
import type { Api } from '../api.ts';
import type { SpaceContent } from '../export/read-space.ts';
import { planContent } from '../import/plan-content.ts';
import { gitText } from './git.ts';
import { planChanges, type SyncPlan } from './plan-changes.ts';
import type { RepositoryState } from './remote.ts';
import type { Tree } from './tree.ts';

interface Compared {
  /** A clone of the repository, and the folder of it that the space is of. */
  folder: string;
  root: string;
  standing: RepositoryState;
  former: Tree;
  tree: Tree;
}

/** What the repository has changed since both sides held the same; the first time, all that the space holds otherwise. */
export async function planSync(
  api: Api,
  content: SpaceContent,
  { folder, root, standing, former, tree }: Compared,
): Promise<SyncPlan> {
  const { state, tip, kept = '' } = standing;
  if (state !== undefined) {
    const renamed = tip === undefined ? new Map<string, string>() : await renames(folder, { root, former: kept, tip });
    return planChanges(content, { former, present: tree, renamed });
  }
  const spaceId = content.space;
  const read = await readRepository(tree.source);
  const repository = { ...read, problems: [...read.problems, ...tree.left] };
  const revision = await api.getRevisionById({
    params: { spaceId, revisionId: content.revision },
    query: { computed: 'false' },
  });
  const plan = await planContent(tree.source, repository, { api, revision, spaceId });
  return { ...plan, repository, moves: [], deletions: [] };
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
