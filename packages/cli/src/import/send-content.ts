import { readFiles } from './changed-files.ts';
import type { ContentPlan } from './plan.ts';
import type { ImportReport, Tally } from './report.ts';
import { Sender } from './send.ts';
import { type ImportDestination, type NamedChange, sendChanges } from './send-changes.ts';
import { FileSender } from './send-files.ts';
import type { ImportProblem } from './source.ts';

/**
 * Carries out a plan in a change request and counts the results in the report. Files are sent first, then reusable
 * contents, so that the links of the pages resolve. Returns whether the server rejected a page.
 */
export async function sendContent(
  plan: ContentPlan,
  destination: ImportDestination,
  { report, onProgress }: { report: ImportReport; onProgress?: ((done: number, total: number) => void) | undefined },
): Promise<{ hasRejected: boolean }> {
  const { steps, source, files, contents, variables, links } = plan;
  const fileSender = new FileSender(destination);
  await fileSender.send(readFiles(source, files));
  keep(report, report.files, fileSender);
  await sendPlannedChanges(contents.changes, destination, { report, tally: report.reusableContents });
  await sendPlannedChanges(variables.changes, destination, { report, tally: report.variables });
  const sender = new Sender(destination, links, plan);
  sender.onProgress = (doneCount) => onProgress?.(doneCount, steps.length);
  await sender.send(steps);
  keep(report, report.pages, sender);
  return { hasRejected: sender.failed.length > 0 };
}

type Problem = Pick<ImportProblem, 'path' | 'message'>;

interface SentContent {
  created: number;
  updated: number;
  failed: Problem[];
  warned?: Problem[];
}

function keep(report: ImportReport, tally: Tally, { created, updated, failed, warned = [] }: SentContent): void {
  tally.created += created;
  tally.updated += updated;
  tally.failed += failed.length;
  report.problems.push(...failed.map((problem): ImportProblem => ({ kind: 'failed', ...problem })));
  const getLine = ({ path, message }: Problem): string => `${path}\n${message}`;
  // Report only problems that were not already reported when the folder was read.
  const reportedLines = new Set(report.problems.map(getLine));
  const newProblems = warned.filter((problem) => !reportedLines.has(getLine(problem)));
  report.problems.push(...newProblems.map((problem): ImportProblem => ({ kind: 'warning', ...problem })));
}

async function sendPlannedChanges(
  changes: NamedChange[],
  destination: ImportDestination,
  { report, tally }: { report: ImportReport; tally: Tally },
): Promise<void> {
  const warned: Problem[] = [];
  const failed = await sendChanges(destination, changes, ({ path, message }) => warned.push({ path, message }));
  const failedPaths = new Set(failed.map(({ path }) => path));
  const sent = changes.filter(({ path }) => !failedPaths.has(path));
  const sum = (key: 'created' | 'updated') => sent.reduce((total, change) => total + change[key], 0);
  keep(report, tally, { created: sum('created'), updated: sum('updated'), failed, warned });
}
