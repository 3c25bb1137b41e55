import { findConnection } from '../connection.ts';
import { createMisuseError } from '../failure.ts';
import { formatConflict, type NamedConflict } from '../import/report.ts';
import { getName } from '../sync/local-changes.ts';
import type { FirstSync, SyncReport } from '../sync/sync-report.ts';
import { syncSpace } from '../sync/sync-space.ts';
import { print, type Terminal, warn } from '../terminal.ts';
import { type Command, createChoiceOption, createFlag, createTextOption, getText } from './command.ts';
import { printProblems } from './report-import.ts';

export const syncCommand: Command = {
  summary: 'Sync a branch of a git repository and a space in both directions',
  arguments: ['<repository|folder>'],
  options: {
    space: createTextOption('<id>', 'The space', { required: true }),
    branch: createTextOption('<name>', "The branch. The default is the repository's default branch"),
    root: createTextOption('<folder>', 'The folder in the repository that the space covers'),
    from: createChoiceOption(
      ['repository', 'space'],
      'On the first sync: the side whose content is copied to the other side',
    ),
    yes: createFlag('On the first sync: merge the content of both sides'),
    review: createFlag("Leave the change request with the repository's changes open, instead of merging it"),
    'dry-run': createFlag('Report the number of changes and the conflicts, without writing'),
  },
  json: {
    fields: [
      'changeRequests',
      'commits',
      'problems',
      'undecided',
      'planned?',
      'waits?',
      'firstSync?',
      'needsDirection?',
    ],
  },
  run: async ({ values, positionals: [repository = ''] }, terminal) => {
    const space = getText(values.space);
    if (space === undefined) throw createMisuseError('--space <id> is required.');
    const [branch, root] = [getText(values.branch), getText(values.root)];
    const from = getText(values.from);
    if (from !== undefined && from !== 'repository' && from !== 'space')
      throw createMisuseError('--from must be repository or space.');
    const report = await syncSpace({
      api: await findConnection(terminal.env),
      repository,
      space,
      ...(branch !== undefined && { branch }),
      ...(root !== undefined && { root }),
      from,
      yes: values.yes === true,
      review: values.review === true,
      dryRun: values['dry-run'] === true,
    });
    if (values.json === true) print(terminal, JSON.stringify(report));
    else printReport(report, terminal);
    return isComplete(report) ? 0 : 1;
  },
};

const isComplete = ({ changeRequests, problems, undecided, planned, waits, needsDirection }: SyncReport): boolean =>
  waits === undefined &&
  !needsDirection &&
  undecided.length === 0 &&
  !planned?.conflicts.length &&
  changeRequests.every(({ conflicts }) => conflicts.length === 0) &&
  problems.every(({ kind }) => kind !== 'failed');

function printReport(report: SyncReport, terminal: Terminal): void {
  const { changeRequests, commits, problems, planned, undecided, waits } = report;
  printProblems(terminal, problems);
  if (report.firstSync && (report.needsDirection || planned)) printFirstSync(report.firstSync, terminal);
  if (report.needsDirection) {
    warn(terminal, nextSteps);
    return;
  }
  for (const { number, status, conflicts } of changeRequests) {
    print(terminal, `Change request ${number}: ${status}.`);
    printConflicts(conflicts, terminal);
  }
  const reportedIds = new Set(changeRequests.map(({ id }) => id));
  for (const { id, number, subject, conflicts } of undecided) {
    if (reportedIds.has(id)) continue;
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

const mostListed = 10;

function printFirstSync({ onlyInRepository, onlyInSpace, different }: FirstSync, terminal: Terminal): void {
  const sides = [
    ['only in the repository', onlyInRepository],
    ['only in the space', onlyInSpace],
    ['different on both sides', different],
  ] as const;
  print(terminal, 'The repository and the space have not been synced before:');
  for (const [title, names] of sides) {
    print(terminal, `  ${names.length} ${title}`);
    for (const name of names.slice(0, mostListed)) print(terminal, `    ${name}`);
    if (names.length > mostListed) print(terminal, `    and ${names.length - mostListed} more`);
  }
}

const nextSteps = `Nothing was changed. Choose a direction and run the command again:
  --from repository  The space gets the content of the repository. Content that only the space has is removed.
  --from space       The repository gets the content of the space. Files that only the repository has stay in it.
  --yes              Content that only one side has is copied to the other. Content that differs is a conflict.`;

function printConflicts(conflicts: NamedConflict[], terminal: Terminal): void {
  for (const conflict of conflicts)
    warn(terminal, `conflict: ${getName(conflict)}: ${formatConflict(conflict, 'repository')}`);
}
