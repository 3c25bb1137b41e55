import { findConnection } from '../connection.ts';
import { exportSpace } from '../export/export-space.ts';
import { showProgress } from '../progress.ts';
import { print } from '../terminal.ts';
import type { Command } from './command.ts';

export const exportCommand: Command = {
  summary: 'Write the pages of a space as markdown files, with its other files and a SUMMARY.md',
  usage: 'octavo export <space> <folder> [--force]',
  options: { force: { type: 'boolean' } },
  arguments: 2,
  run: async ({ values, positionals: [space = '', folder = ''] }, terminal) => {
    const api = await findConnection(terminal.env);
    const onProgress = showProgress('Exporting', terminal.stderr);
    const { pages, files } = await exportSpace({ api, space, folder, force: values.force === true, onProgress });
    print(terminal, `Wrote ${pages} pages${files > 0 ? `, ${files} files` : ''} and SUMMARY.md to ${folder}.`);
    return 0;
  },
};
