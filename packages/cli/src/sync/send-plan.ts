import type { Api } from '../api.ts';
import { reportOf } from '../import/plan-content.ts';
import type { ImportProblem } from '../import/problem.ts';
import { countsOf } from '../import/report.ts';
import { sendChanges } from '../import/send-changes.ts';
import { sendContent } from '../import/send-content.ts';
import type { SyncPlan } from './plan-changes.ts';

export interface SentPlan {
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
