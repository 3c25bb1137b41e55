import path from 'node:path';
import {
  type CopiedInstallation,
  cancelImport,
  exportInstallation,
  importInstallation,
  type Pause,
} from '@octavo/platform';
import { createMisuseError } from '../failure.ts';
import { type Command, createFlag, printResult } from './command.ts';
import { runAsOperator, targetOptions } from './operator-target.ts';

const describe = ({ tables, rows, files, bytes }: CopiedInstallation): string =>
  `${rows} rows of ${tables} tables, and ${files} files with ${(bytes / 1e6).toFixed(1)} MB`;

export const exportAll: Command = {
  summary: 'As the operator, export a whole installation to a new folder, from this machine or from Cloudflare',
  arguments: ['<folder>'],
  options: {
    pause: createFlag('Refuse changes during the export'),
    'keep-paused': createFlag('Refuse changes during the export, and after it until `installation resume`'),
    ...targetOptions,
  },
  json: { fields: ['folder', 'tables', 'rows', 'files', 'bytes'] },
  run: async (input, terminal) => {
    const folder = path.resolve(input.positionals[0] ?? '');
    const { values } = input;
    const pause: Pause = values['keep-paused'] === true ? 'kept' : values.pause === true ? 'during' : 'none';
    const copied = await runAsOperator(input, terminal, (call) => exportInstallation(call, folder, { pause }));
    printResult(terminal, input, { folder, ...copied }, `Exported ${describe(copied)}, to ${folder}.`);
    return 0;
  },
};

export const resumeAll: Command = {
  summary: 'As the operator, accept changes again after an export with --keep-paused',
  arguments: [],
  options: targetOptions,
  json: { fields: ['resumed'] },
  run: async (input, terminal) => {
    await runAsOperator(input, terminal, (call) => call('/export/resume'));
    printResult(terminal, input, { resumed: true }, 'The installation accepts changes.');
    return 0;
  },
};

export const importAll: Command = {
  summary: 'As the operator, import an exported installation into a new one, on this machine or on Cloudflare',
  arguments: ['[<folder>]'],
  options: {
    cancel: createFlag('End an interrupted import, and delete the imported rows'),
    'other-secret': createFlag('Import although the installation has another secret than the exported one'),
    ...targetOptions,
  },
  json: { fields: ['folder', 'tables', 'rows', 'files', 'bytes', 'cancelled'] },
  run: async (input, terminal) => {
    const [file] = input.positionals;
    if ((file === undefined) === (input.values.cancel !== true))
      throw createMisuseError('Pass either the folder of an export or --cancel.');
    if (file === undefined) {
      await runAsOperator(input, terminal, cancelImport);
      printResult(terminal, input, { cancelled: true }, 'The import was ended. The installation is empty.');
      return 0;
    }
    const folder = path.resolve(file);
    const allowsOtherSecret = input.values['other-secret'] === true;
    const copied = await runAsOperator(
      input,
      terminal,
      (call) => importInstallation(call, folder, { allowsOtherSecret }),
      { mayCreate: true },
    );
    printResult(terminal, input, { folder, ...copied }, `Imported and verified ${describe(copied)}.`);
    return 0;
  },
};
