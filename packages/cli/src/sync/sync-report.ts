import type { Api, ApiConnection } from '../api.ts';
import { getReport } from '../import/plan.ts';
import { getCounts, type NamedConflict } from '../import/report.ts';
import { sendChanges } from '../import/send-changes.ts';
import { sendContent } from '../import/send-content.ts';
import type { ImportProblem } from '../import/source.ts';
import type { UndecidedRequest } from './local-changes.ts';
import type { SyncPlan } from './plan-changes.ts';

export interface SyncOptions {
  api: ApiConnection;
  /** URL or local folder of a Git repository. */
  repository: string;
  space: string;
  branch?: string;
  /** The folder of the repository that is synced with the space. */
  root?: string;
  /** Leaves the repository's changes in an open change request. */
  review?: boolean;
  dryRun?: boolean;
  /** On the first sync: the side whose content replaces the content of the other side. */
  from?: 'repository' | 'space' | undefined;
  /** On the first sync: confirms that the content of both sides is merged. */
  yes?: boolean;
}

/** The differences of two sides that both have content but no common state, as paths or titles. */
export interface FirstSync {
  onlyInRepository: string[];
  onlyInSpace: string[];
  different: string[];
}

/** The result of a sync. Its fields are the output of `--json`, so their names must not change. */
export interface SyncReport {
  space: string;
  branch: string;
  /** The change requests with the repository's changes, and their results. */
  changeRequests: { id: string; number: number; status: 'merged' | 'open' | 'conflicts'; conflicts: NamedConflict[] }[];
  /** The commits with the changes of the space, the newest last. */
  commits: { id: string; subject: string; written: number; removed: number }[];
  problems: ImportProblem[];
  /** Conflict change requests of this sync or an earlier one that no user has resolved yet. */
  undecided: UndecidedRequest[];
  /** The decision that a user must make before the sync continues. */
  waits?: string;
  /** The differences between both sides. Set on the first sync if their contents differ. */
  firstSync?: FirstSync;
  /** Whether the first sync changed nothing, because the user must choose a direction. */
  needsDirection?: true;
  /** With `--dry-run`: the number of changes to import, and the conflicts. */
  planned?: { changes: number; conflicts: NamedConflict[] };
}

interface SentPlan {
  /** Number of changes made to the space. */
  changes: number;
  problems: ImportProblem[];
  /** Moves and deletions that the server rejected. */
  failures: ImportProblem[];
}

/** Returns the number of changes in a plan. */
export const countChanges = ({ steps, files, contents, variables, moves, deletions }: SyncPlan): number =>
  [steps, files, contents.changes, variables.changes, moves, deletions].reduce((sum, { length }) => sum + length, 0);

export const isEmptyPlan = (plan: SyncPlan): boolean => countChanges(plan) === 0;

/** Carries out a plan in a change request: first moves, then insertions and updates, then deletions. */
export async function sendPlan(
  plan: SyncPlan,
  api: Api,
  params: { spaceId: string; changeRequestId: string },
): Promise<SentPlan> {
  const destination = { api, params };
  const report = getReport(plan, plan.repository, params.spaceId);
  const failures = await sendChanges(destination, plan.moves);
  await sendContent(plan, destination, { report });
  failures.push(...(await sendChanges(destination, plan.deletions)));
  const { created, updated } = getCounts(report);
  const others = plan.moves.length + plan.deletions.length - failures.length;
  const problems = [...report.problems.filter(({ kind }) => kind !== 'skipped'), ...failures];
  return { changes: created + updated + others, problems, failures };
}
