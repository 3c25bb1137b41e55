import type { Api, ApiConnection } from '../api.ts';
import { reportOf } from '../import/plan.ts';
import { countsOf, type NamedConflict } from '../import/report.ts';
import { sendChanges } from '../import/send-changes.ts';
import { sendContent } from '../import/send-content.ts';
import type { ImportProblem } from '../import/source.ts';
import type { UndecidedRequest } from './held-changes.ts';
import type { SyncPlan } from './plan-changes.ts';

export interface SyncOptions {
  api: ApiConnection;
  /** An address or a folder of a git repository. */
  repository: string;
  space: string;
  branch?: string;
  /** The folder of the repository that the space is of. */
  root?: string;
  /** Leaves what the repository has changed open as a change request. */
  review?: boolean;
  dryRun?: boolean;
}

/** What a sync did. Its fields are what `--json` prints: they keep their names. */
export interface SyncReport {
  space: string;
  branch: string;
  /** The change requests that brought the repository's changes, and what became of them. */
  changeRequests: { id: string; number: number; status: 'merged' | 'open' | 'conflicts'; conflicts: NamedConflict[] }[];
  /** The commits that brought the changes of the space, the newest last. */
  commits: { id: string; subject: string; written: number; removed: number }[];
  problems: ImportProblem[];
  /** What is held apart of this or a former sync, and nobody has decided yet. */
  undecided: UndecidedRequest[];
  /** Whether something waits for a decision of a person. */
  waits?: string;
  /** With `--dry-run`: how many changes there are to be brought, and what would be held apart. */
  planned?: { changes: number; conflicts: NamedConflict[] };
}

interface SentPlan {
  /** How much of the space was changed. */
  changes: number;
  problems: ImportProblem[];
  /** What was to have another path or to go, and was refused. */
  undone: ImportProblem[];
}

/** How much of a space a plan changes. */
export const changesIn = ({ steps, files, contents, variables, moves, deletions }: SyncPlan): number =>
  [steps, files, contents.changes, variables.changes, moves, deletions].reduce((sum, { length }) => sum + length, 0);

export const isEmptyPlan = (plan: SyncPlan): boolean => changesIn(plan) === 0;

/** Does what a plan says in a change request: what has moved, what is new or changed, then what has gone. */
export async function sendPlan(
  plan: SyncPlan,
  api: Api,
  params: { spaceId: string; changeRequestId: string },
): Promise<SentPlan> {
  const destination = { api, params };
  const report = reportOf(plan, plan.repository, params.spaceId);
  const lost = await sendChanges(destination, plan.moves);
  await sendContent(plan, destination, { report });
  lost.push(...(await sendChanges(destination, plan.deletions)));
  const { created, updated } = countsOf(report);
  const others = plan.moves.length + plan.deletions.length - lost.length;
  const problems = [...report.problems.filter(({ kind }) => kind !== 'skipped'), ...lost];
  return { changes: created + updated + others, problems, undone: lost };
}
