import type { ExportedSpace } from '@octavo/space-files';
import { findConnection } from '../connection.ts';
import { exportToGit, type GitExport } from '../export/export-to-git.ts';
import { exportSpace } from '../export/exported.ts';
import { createMisuseError } from '../failure.ts';
import type { ImportProblem } from '../import/source.ts';
import { showProgress, type Terminal, warn } from '../terminal.ts';
import { type Command, createFlag, printResult } from './command.ts';
import { printProblems } from './report-import.ts';

export const exportCommand: Command = {
  summary: 'Export a space as markdown files, with its other files and, if needed, a SUMMARY.md',
  arguments: ['<space>', '<folder>'],
  options: {
    force: createFlag('Write into a folder that is not empty'),
    git: createFlag('Write the changes as one commit of a git repository'),
  },
  json: { fields: ['folder', 'pages', 'files', 'reusableContents', 'problems', 'summary?', 'commit?'] },
  run: async (input, terminal) => {
    const {
      values,
      positionals: [space = '', folder = ''],
    } = input;
    if (values.force === true && values.git === true)
      throw createMisuseError('--git and --force cannot be used together.');
    const api = await findConnection(terminal.env);
    const onProgress = showProgress('Exporting', terminal.stderr);
    if (values.git === true) {
      const exported = await exportToGit({ api, space, folder, onProgress });
      printReport(exported, exported.problems, terminal);
      printResult(terminal, input, getResult(exported, folder), getCommitLine(exported));
      return exported.problems.some(({ kind }) => kind === 'failed') ? 1 : 0;
    }
    const exported = await exportSpace({ api, space, folder, force: values.force === true, onProgress });
    printReport(exported, [], terminal);
    printResult(terminal, input, getResult(exported, folder), `Wrote ${getContents(exported)} to ${folder}.`);
    return 0;
  },
};

/** Returns the warnings about content that the files cannot express. */
const getWarnings = ({ unwritable, incomplete }: ExportedSpace): ImportProblem[] =>
  [...unwritable, ...incomplete].map((unwritten) => ({ kind: 'warning', ...unwritten }));

function printReport(exported: ExportedSpace, problems: ImportProblem[], terminal: Terminal): void {
  const { summary } = exported;
  if (summary?.isNew)
    warn(terminal, `Added ${summary.path}, because the files alone do not define the order, titles or hidden pages.`);
  printProblems(terminal, [...getWarnings(exported), ...problems]);
}

/** Returns the JSON output of an export. */
function getResult(exported: ExportedSpace & Partial<GitExport>, folder: string) {
  const { pages, content, summary, commit, problems = [] } = exported;
  const [files, reusableContents] = [countFiles(exported), content.reusableContents.length];
  return {
    ...{ folder, pages, files, reusableContents, summary: summary?.path, commit },
    problems: [...getWarnings(exported), ...problems],
  };
}

function getCommitLine({ commit }: GitExport): string {
  if (commit === undefined) return 'No changes.';
  const { id, subject, written, removed } = commit;
  return `Commit ${id.slice(0, 10)}: ${subject} (${written} written, ${removed} removed)`;
}

/** Counts the files that are neither pages nor the table of contents. */
const countFiles = ({ files, summary }: ExportedSpace): number =>
  [...files].filter(([path, file]) => 'file' in file && path !== summary?.path).length;

/** Describes the exported content, such as "12 pages, 3 files and SUMMARY.md". */
function getContents(exported: ExportedSpace): string {
  const { pages, content, summary } = exported;
  const reusable = content.reusableContents.length;
  const others = countFiles(exported);
  const parts = [
    `${pages} pages`,
    ...(others > 0 ? [`${others} files`] : []),
    ...(reusable > 0 ? [`${reusable} reusable contents`] : []),
  ];
  return `${parts.join(', ')}${summary ? ` and ${summary.path}` : ''}`;
}
