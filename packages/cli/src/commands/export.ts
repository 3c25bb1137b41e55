import { findConnection } from '../connection.ts';
import { exportSpace } from '../export/export-space.ts';
import type { ExportedSpace } from '../export/exported.ts';
import { showProgress } from '../progress.ts';
import { print, warn } from '../terminal.ts';
import type { Command } from './command.ts';

export const exportCommand: Command = {
  summary: 'Write the pages of a space as markdown files, with its other files and, where it takes one, a SUMMARY.md',
  usage: 'octavo export <space> <folder> [--force]',
  options: { force: { type: 'boolean' } },
  arguments: 2,
  run: async ({ values, positionals: [space = '', folder = ''] }, terminal) => {
    const api = await findConnection(terminal.env);
    const onProgress = showProgress('Exporting', terminal.stderr);
    const exported = await exportSpace({ api, space, folder, force: values.force === true, onProgress });
    if (exported.summary?.isNew)
      warn(
        terminal,
        `${exported.summary.path} says what the files alone do not: the order, the titles or what is hidden.`,
      );
    for (const { path, message } of exported.unwritable) warn(terminal, `warning: ${path}: ${message}`);
    print(terminal, `Wrote ${contentsOf(exported)} to ${folder}.`);
    return 0;
  },
};

/** What was written, in words. */
export function contentsOf({ pages, files, content, summary }: ExportedSpace): string {
  const reusable = content.reusableContents.length;
  const own = new Set([summary?.path]);
  const others = [...files].filter(([path, file]) => 'file' in file && !own.has(path)).length;
  const parts = [
    `${pages} pages`,
    ...(others > 0 ? [`${others} files`] : []),
    ...(reusable > 0 ? [`${reusable} reusable contents`] : []),
  ];
  return `${parts.join(', ')}${summary ? ` and ${summary.path}` : ''}`;
}
