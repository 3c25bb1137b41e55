import type { SpaceContent } from '@octavo/space-files';
import type { SyncPlan } from './plan-changes.ts';
import { type SplitPlan, splitPlan } from './split-plan.ts';
import type { FirstSync, SyncOptions } from './sync-report.ts';

/**
 * Compares two sides that both have content but no common state. Returns undefined if both sides are equal or one side
 * is empty.
 */
export function compareSides(plan: SyncPlan, content: SpaceContent): FirstSync | undefined {
  const { pages, files, reusableContents, variables } = content;
  const spaceItems = pages.length + files.length + reusableContents.length + Object.keys(variables).length;
  if (spaceItems === 0 || plan.repository.roots.length === 0) return undefined;
  const { plan: added, heldPlan: apart } = splitPlan(plan, content, 'all');
  const sides = {
    onlyInRepository: getNames(added),
    onlyInSpace: (plan.onlyInSpace?.items ?? []).map(({ kind, id, title, path }) =>
      kind === 'variable' ? `variable ${id}` : (path ?? content.names.get(id) ?? title),
    ),
    different: getNames(apart),
  };
  return Object.values(sides).some(({ length }) => length > 0) ? sides : undefined;
}

const getNames = ({ steps, files, contents, variables }: SyncPlan): string[] => [
  ...steps.map(({ entry: wanted }) => (wanted.kind === 'page' ? wanted.path : undefined) ?? wanted.title ?? ''),
  ...files.map(({ path }) => path),
  ...contents.changes.map(({ path }) => path),
  ...variables.changes.map(({ path }) => path),
];

/**
 * Returns the changes to the space if the content of one side replaces that of the other. No conflicts remain for a
 * user.
 */
export function planDirection(
  plan: SyncPlan,
  content: SpaceContent,
  from: NonNullable<SyncOptions['from']>,
): SplitPlan {
  if (from === 'space') {
    const nothing = { changes: [], unchanged: 0 };
    const empty = { ...plan, steps: [], files: [], contents: nothing, variables: { ...nothing, problems: [] } };
    // The files at these paths are written although the repository has other versions of them.
    return { ...splitPlan(empty, content, new Set()), paths: splitPlan(plan, content, 'all').paths };
  }
  const { moves = [], deletions = [], items = [] } = plan.onlyInSpace ?? {};
  const deletedPages = new Map(
    items.flatMap(({ id }): [string, string][] => {
      const path = content.names.get(id);
      return path === undefined ? [] : [[id, path]];
    }),
  );
  return splitPlan({ ...plan, moves, deletions, deletedPaths: deletedPages }, content, new Set());
}
