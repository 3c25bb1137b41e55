import { findConnection } from '../connection.ts';
import { exportToGit, type GitExport } from '../export/export-to-git.ts';
import { type ExportedSpace, exportSpace } from '../export/exported.ts';
import { misuse } from '../failure.ts';
import { print, showProgress, type Terminal, warn } from '../terminal.ts';
import { type Command, flag } from './command.ts';
import { printProblems } from './report-import.ts';

export const exportCommand: Command = {
  summary: 'Export a space as markdown files, with its other files and, if needed, a SUMMARY.md',
  arguments: ['<space>', '<folder>'],
  options: {
    force: flag('Write into a folder that is not empty'),
    git: flag('Write the changes as one commit of a git repository'),
  },
  run: async ({ values, positionals: [space = '', folder = ''] }, terminal) => {
    if (values.force === true && values.git === true) throw misuse('--git and --force cannot be used together.');
    const api = await findConnection(terminal.env);
    const onProgress = showProgress('Exporting', terminal.stderr);
    if (values.git === true) {
      const exported = await exportToGit({ api, space, folder, onProgress });
      printReport(exported, terminal);
      return printCommit(exported, terminal);
    }
    const exported = await exportSpace({ api, space, folder, force: values.force === true, onProgress });
    printReport(exported, terminal);
    print(terminal, `Wrote ${getContents(exported)} to ${folder}.`);
    return 0;
  },
};

function printReport({ summary, unwritable, untold }: ExportedSpace, terminal: Terminal): void {
  if (summary?.isNew)
    warn(terminal, `Added ${summary.path}, because the files alone do not define the order, titles or hidden pages.`);
  printProblems(
    terminal,
    [...unwritable, ...untold].map((unwritable) => ({ kind: 'warning', ...unwritable })),
  );
}

function printCommit({ commit, problems }: GitExport, terminal: Terminal): number {
  printProblems(terminal, problems);
  if (commit === undefined) print(terminal, 'No changes.');
  else {
    const { id, subject, written, removed } = commit;
    print(terminal, `Commit ${id.slice(0, 10)}: ${subject} (${written} written, ${removed} removed)`);
  }
  return problems.some(({ kind }) => kind === 'failed') ? 1 : 0;
}

/** Describes the exported content, such as "12 pages, 3 files and SUMMARY.md". */
function getContents({ pages, files, content, summary }: ExportedSpace): string {
  const reusable = content.reusableContents.length;
  const summaryPaths = new Set([summary?.path]);
  const others = [...files].filter(([path, file]) => 'file' in file && !summaryPaths.has(path)).length;
  const parts = [
    `${pages} pages`,
    ...(others > 0 ? [`${others} files`] : []),
    ...(reusable > 0 ? [`${reusable} reusable contents`] : []),
  ];
  return `${parts.join(', ')}${summary ? ` and ${summary.path}` : ''}`;
}
