import { operatorCommands } from './commands/operator-table.ts';
import { commands } from './commands/table.ts';
import { runCommand } from './run-command.ts';
import type { Terminal } from './terminal.ts';

/** Runs a command with the arguments that follow `octavo`. Returns the exit code. */
export const runOctavo = (typed: string[], terminal: Terminal): Promise<number> =>
  runCommand({ ...commands, ...operatorCommands }, typed, terminal);
