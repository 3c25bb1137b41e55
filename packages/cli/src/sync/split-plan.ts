import type { PlanStep, SpaceContent } from '@octavo/space-files';
import type { NamedConflict } from '../import/report.ts';
import type { NamedChange } from '../import/send-changes.ts';
import { hashBlob } from '../import/source.ts';
import type { SyncPlan } from './plan-changes.ts';

/**
 * A plan in two parts: changes to merge, and conflicts for a user to resolve, because neither side is known to be
 * newer.
 */
export interface SplitPlan {
  plan: SyncPlan;
  heldPlan: SyncPlan;
  conflicts: NamedConflict[];
  /** Paths of the files in which both sides changed the bytes. */
  paths: string[];
}

const message = 'the repository and Octavo have different versions without a common ancestor';

/**
 * Separates the changes to items that the space has changed too. On the first sync (`all`), these are all items. Later,
 * these are the given files, which are already in a conflict change request.
 */
export function splitPlan(plan: SyncPlan, content: SpaceContent, files: 'all' | ReadonlySet<string>): SplitPlan {
  const isSelectedFile = (path: string | undefined) => files === 'all' || (path !== undefined && files.has(path));
  const isInOtherPlan = (step: PlanStep) =>
    step.present !== undefined && isSelectedFile(getPath(step)) && (files !== 'all' || hasVisibleChange(step));
  const isPresent = ({ path, change, updated }: NamedChange) =>
    isSelectedFile(path) && updated > 0 && !isVariable(change);
  const [steps, apartSteps] = partition(plan.steps, isInOtherPlan);
  const [someFiles, apartFiles] = partition(
    plan.files,
    ({ path, present }) => present !== undefined && isSelectedFile(path),
  );
  const [contents, apartContents] = partition(plan.contents.changes, isPresent);
  const [variables, apartVariables] =
    files === 'all' ? partitionVariables(plan, content) : [plan.variables.changes, []];
  const [moves, apartMoves] = files === 'all' ? [plan.moves, []] : partition(plan.moves, isPresent);
  const [deletions, apartDeletions] = files === 'all' ? [plan.deletions, []] : partition(plan.deletions, isPresent);
  const toPlannedChanges = (changes: NamedChange[]) => ({ changes, unchanged: 0 });
  const heldPlan: SyncPlan = {
    ...plan,
    steps: apartSteps,
    files: apartFiles,
    contents: toPlannedChanges(apartContents),
    variables: { ...toPlannedChanges(apartVariables), problems: [] },
    moves: apartMoves,
    deletions: apartDeletions,
  };
  return {
    plan: {
      ...plan,
      steps,
      files: someFiles,
      contents: { ...plan.contents, changes: contents },
      variables: { ...plan.variables, changes: variables },
      moves,
      deletions,
    },
    heldPlan,
    conflicts: getConflicts(heldPlan),
    paths: getPaths(heldPlan),
  };
}

/** Whether the plan of a first sync changes items that the space also has. */
export const isUndecided = (plan: SyncPlan, content: SpaceContent): boolean =>
  splitPlan(plan, content, 'all').conflicts.length > 0;

/** Whether a step makes a visible change. Stored links can be updated without a conflict. */
function hasVisibleChange({ entry, present, isMoved, document, title, hidden }: PlanStep): boolean {
  const file = entry.kind === 'page' ? entry.file : undefined;
  const isRewritten = document && (file === undefined || present?.git?.oid !== hashBlob(file.bytes));
  return isMoved || isRewritten || title !== undefined || hidden !== undefined;
}

const getPath = ({ entry }: PlanStep): string | undefined => (entry.kind === 'page' ? entry.path : undefined);

const isVariable = ({ operation }: NamedChange['change']): boolean => operation === 'set_variables';

function partitionVariables(
  { variables }: SyncPlan,
  { variables: present }: SpaceContent,
): [NamedChange[], NamedChange[]] {
  const each = variables.changes.flatMap(({ change }) =>
    change.operation === 'set_variables' ? Object.entries(change.variables) : [],
  );
  const getChange = ([name, value]: [string, (typeof each)[number][1]]): NamedChange => ({
    path: `variable ${name}`,
    change: { operation: 'set_variables', variables: { [name]: value } },
    created: Object.hasOwn(present, name) ? 0 : 1,
    updated: Object.hasOwn(present, name) ? 1 : 0,
  });
  return partition(each.map(getChange), ({ updated }) => updated > 0);
}

function getPaths({ steps, files, contents }: SyncPlan): string[] {
  const texts = steps.flatMap((step) => (step.document ? (getPath(step) ?? []) : []));
  return [...texts, ...files.map(({ path }) => path), ...contents.changes.map(({ path }) => path)];
}

function getConflicts({ steps, files, contents, variables, moves, deletions }: SyncPlan): NamedConflict[] {
  const ofSteps = steps.flatMap(({ entry, present, document, title, hidden, isMoved }) => {
    const fields = Object.entries({
      document,
      title: title !== undefined,
      hidden: hidden !== undefined,
      place: isMoved,
    });
    const id = present?.id ?? '';
    const name = present?.title ?? entry.title ?? '';
    const path = entry.kind === 'page' ? entry.path : undefined;
    const location = { ...(path !== undefined && { path }), ...(present?.path && { page: present.path }) };
    return fields.flatMap(([field, isSet]) =>
      isSet ? [{ kind: 'page' as const, id, title: name, field, message, ...location }] : [],
    );
  });
  const listOtherConflicts = (kind: NamedConflict['kind'], field: string) =>
    function* toConflicts(items: { path: string; present?: string | undefined }[]): Generator<NamedConflict> {
      for (const { path, present } of items) yield { kind, id: present ?? path, title: path, field, message };
    };
  return [
    ...ofSteps,
    ...listOtherConflicts('file', 'bytes')(files),
    ...listOtherConflicts('reusable-content', 'document')(contents.changes),
    ...listOtherConflicts(
      'variable',
      'value',
    )(variables.changes.map(({ path }) => ({ path: path.replace(/^variable /, '') }))),
    ...listOtherConflicts('file', 'place')(moves),
    ...listOtherConflicts('page', 'node')(deletions),
  ];
}

function partition<Item>(items: Item[], isSeparate: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter((item) => !isSeparate(item)), items.filter(isSeparate)];
}
