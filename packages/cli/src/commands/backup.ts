import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { addBackup, backUp, getFormerFolder, restore, rollBack, undoRestore, upgrade } from '@octavo/platform';
import { getDataFolder } from '../connection.ts';
import { createMisuseError, explainFailure } from '../failure.ts';
import { print, type Terminal, waitForInterrupt, warn } from '../terminal.ts';
import {
  type Command,
  type CommandInput,
  createFlag,
  createTextOption,
  getText,
  parseWholeNumber,
  printLine,
  printResult,
} from './command.ts';

const unitMilliseconds = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses an interval such as `24h`. @throws Failure */
function parseInterval(text: string): number {
  const [, number, unit] = /^([1-9]\d{0,4})([smhd])$/.exec(text) ?? [];
  if (number === undefined || unit === undefined)
    throw createMisuseError('--every must be a number with a unit, such as 30m, 24h or 7d.');
  const milliseconds = Number(number) * unitMilliseconds[unit as keyof typeof unitMilliseconds];
  if (milliseconds > 2 ** 31 - 1) throw createMisuseError('--every must be at most 24d.');
  return milliseconds;
}

interface Series {
  dataDir: string;
  folder: string;
  keep: number;
  withoutSecrets: boolean;
}

const describe = ({ files, bytes }: { files: number; bytes: number }, target: string): string =>
  `Copied ${files} files, ${(bytes / 1e6).toFixed(1)} MB, to ${target}.`;

async function addToSeries(
  terminal: Terminal,
  input: CommandInput,
  { dataDir, folder, ...options }: Series,
): Promise<void> {
  const { target, deleted, ...report } = await addBackup(dataDir, folder, options);
  const removed = deleted === 0 ? '' : ` Deleted ${deleted} old ${deleted === 1 ? 'backup' : 'backups'}.`;
  const line = `${describe(report, target)}${removed}`;
  printLine(terminal, input, { folder: target, ...report, deleted }, line);
}

/**
 * Creates a backup at each interval until the command is interrupted. If a backup fails, the failure is reported and
 * the next backup is still attempted.
 */
async function repeat(terminal: Terminal, input: CommandInput, series: Series, milliseconds: number): Promise<number> {
  const end = new AbortController();
  void waitForInterrupt().then(() => end.abort());
  while (!end.signal.aborted) {
    const next = Date.now() + milliseconds;
    await addToSeries(terminal, input, series).catch((error: unknown) =>
      warn(terminal, `octavo: ${explainFailure(error)}`),
    );
    await wait(Math.max(0, next - Date.now()), undefined, { signal: end.signal }).catch(() => undefined);
  }
  return 0;
}

const defaultKeep = 7;

export const backup: Command = {
  summary: 'As the operator, copy all data to a new folder, or regularly to dated folders. The server may be running',
  arguments: ['<folder>'],
  options: {
    every: createTextOption(
      '<interval>',
      'Add a backup to the folder in each interval, such as 30m, 24h or 7d, until the command is stopped',
    ),
    keep: createTextOption(
      '<number>',
      'Add a backup to the folder and keep this number of them; 7 by default with --every',
    ),
    'no-secrets': createFlag('Leave out the secret of the installation and all tokens'),
  },
  json: { kind: 'lines', fields: ['folder', 'files', 'bytes', 'deleted?'] },
  run: async (input, terminal) => {
    const {
      values,
      positionals: [file = ''],
    } = input;
    const [every, keepText] = [values.every, values.keep].map(getText);
    const milliseconds = every === undefined ? undefined : parseInterval(every);
    const keep = keepText === undefined ? defaultKeep : parseWholeNumber('keep', keepText, 1, 10_000);
    const withoutSecrets = values['no-secrets'] === true;
    const dataDir = getDataFolder(terminal.env);
    const folder = path.resolve(file);
    warn(terminal, `Data: ${dataDir}`);
    const series = { dataDir, folder, keep, withoutSecrets };
    if (milliseconds !== undefined) return repeat(terminal, input, series, milliseconds);
    if (keepText === undefined) {
      const report = await backUp(dataDir, folder, { withoutSecrets });
      printLine(terminal, input, { folder, ...report }, describe(report, folder));
    } else await addToSeries(terminal, input, series);
    return 0;
  },
};

export const restoreBackup: Command = {
  summary: 'As the operator, replace the data of the stopped server with a backup, or restore the former data',
  arguments: ['[<folder>]'],
  options: {
    undo: createFlag('Restore the data from before the last restore'),
  },
  json: { fields: ['restored?', 'formerFolder'] },
  run: async (input, terminal) => {
    const {
      values,
      positionals: [folder],
    } = input;
    if ((folder === undefined) === (values.undo !== true))
      throw createMisuseError('Pass either the folder of a backup or --undo.');
    const dataDir = getDataFolder(terminal.env);
    const formerFolder = getFormerFolder(dataDir);
    warn(terminal, `Data: ${dataDir}`);
    if (folder === undefined) {
      await undoRestore(dataDir);
      const line = `Restored the former data. The replaced data is in ${formerFolder}.`;
      printResult(terminal, input, { formerFolder }, line);
      return 0;
    }
    const restored = await restore(dataDir, path.resolve(folder));
    const line = `Restored ${restored}. If the folder contained data before, that data is in ${formerFolder}.`;
    printResult(terminal, input, { restored, formerFolder }, line);
    return 0;
  },
};

/** The folder of the installed version. */
const root = path.resolve(import.meta.dirname, '../../../..');

function toUpgradeOptions(terminal: Terminal, { values }: CommandInput) {
  const dataDir = getDataFolder(terminal.env);
  const steps: string[] = [];
  warn(terminal, `Data: ${dataDir}`);
  const report = (step: string) => {
    steps.push(step);
    if (values.json !== true) print(terminal, step);
  };
  return { root, dataDir, steps, report };
}

export const upgradeVersion: Command = {
  summary: 'As the operator, change the stopped server to another version, with a backup to go back to',
  arguments: ['<git tag, branch or commit>'],
  options: {},
  json: { fields: ['version', 'steps'] },
  run: async (input, terminal) => {
    const [version = ''] = input.positionals;
    const options = toUpgradeOptions(terminal, input);
    await upgrade(options, version);
    const line = 'The data was migrated and checked. Start the server. To go back, run: npx octavo rollback';
    printResult(terminal, input, { version, steps: options.steps }, line);
    return 0;
  },
};

export const rollBackVersion: Command = {
  summary: 'As the operator, go back to the version and the data from before the last upgrade',
  arguments: [],
  options: {},
  json: { fields: ['steps', 'formerFolder'] },
  run: async (input, terminal) => {
    const options = toUpgradeOptions(terminal, input);
    await rollBack(options);
    const formerFolder = getFormerFolder(options.dataDir);
    const line = `Changes since the upgrade are in ${formerFolder}. Start the server.`;
    printResult(terminal, input, { steps: options.steps, formerFolder }, line);
    return 0;
  },
};
