import path from 'node:path';
import { backUp } from '@octavo/platform';
import { dataFolder } from '../connection.ts';
import { print, warn } from '../terminal.ts';
import type { Command } from './command.ts';

export const backup: Command = {
  summary: 'As the operator, copy all data into a new folder, while the server runs or is stopped',
  usage: 'octavo backup <folder>',
  options: {},
  arguments: 1,
  run: async ({ positionals: [folder = ''] }, terminal) => {
    const dataDir = dataFolder(terminal.env);
    warn(terminal, `Data: ${dataDir}`);
    const target = path.resolve(folder);
    const { files, bytes } = await backUp(dataDir, target);
    print(terminal, `Copied ${files} files, ${(bytes / 1e6).toFixed(1)} MB, to ${target}.`);
    return 0;
  },
};
