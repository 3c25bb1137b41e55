import { findConnection } from '../connection.ts';
import { misuse } from '../failure.ts';
import { getWords, type NamedConflict } from '../import/report.ts';
import { getName } from '../sync/local-changes.ts';
import type { SyncReport } from '../sync/sync-report.ts';
import { syncSpace } from '../sync/sync-space.ts';
import { print, type Terminal, warn } from '../terminal.ts';
import { type Command, getText } from './command.ts';
import { printProblems } from './report-import.ts';

export const syncCommand: Command = {
  summary: 'Sync a branch of a git repository and a space in both directions',
  usage:
    'octavo sync <repository|folder> --space <id> [--branch <name>] [--root <folder>] [--review] [--dry-run] [--json]',
  options: {
    space: { type: 'string' },
    branch: { type: 'string' },
    root: { type: 'string' },
    review: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  arguments: 1,
  run: async ({ values, positionals: [repository = ''] }, terminal) => {
    const space = getText(values.space);
    if (space === undefined) throw misuse('--space <id> is required.');
    const [branch, root] = [getText(values.branch), getText(values.root)];
    const report = await syncSpace({
      api: await findConnection(terminal.env),
      repository,
      space,
      ...(branch !== undefined && { branch }),
      ...(root !== undefined && { root }),
      review: values.review === true,
      dryRun: values['dry-run'] === true,
    });
    if (values.json === true) print(terminal, JSON.stringify(report));
    else printReport(report, terminal);
    return isWhole(report) ? 0 : 1;
  },
};

const isWhole = ({ changeRequests, problems, undecided, planned, waits }: SyncReport): boolean =>
  waits === undefined &&
  undecided.length === 0 &&
  !planned?.conflicts.length &&
  changeRequests.every(({ conflicts }) => conflicts.length === 0) &&
  problems.every(({ kind }) => kind !== 'failed');

function printReport(report: SyncReport, terminal: Terminal): void {
  const { changeRequests, commits, problems, planned, undecided, waits } = report;
  printProblems(terminal, problems);
  for (const { number, status, conflicts } of changeRequests) {
    print(terminal, `Change request ${number}: ${status}.`);
    printConflicts(conflicts, terminal);
  }
  const told = new Set(changeRequests.map(({ id }) => id));
  for (const { id, number, subject, conflicts } of undecided) {
    if (told.has(id)) continue;
    warn(terminal, `unresolved: change request ${number}, ${subject}`);
    printConflicts(conflicts, terminal);
  }
  for (const { id, subject, written, removed } of commits)
    print(terminal, `Commit ${id.slice(0, 10)}: ${subject} (${written} written, ${removed} removed)`);
  if (planned) print(terminal, `${planned.changes} changes would be applied to the space.`);
  printConflicts(planned?.conflicts ?? [], terminal);
  if (waits !== undefined) warn(terminal, waits);
  if (changeRequests.length + commits.length === 0 && !planned) print(terminal, 'No changes.');
}

function printConflicts(conflicts: NamedConflict[], terminal: Terminal): void {
  for (const each of conflicts) warn(terminal, `conflict: ${getName(each)}: ${getWords(each, 'repository')}`);
}
