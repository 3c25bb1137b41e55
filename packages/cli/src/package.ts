import { commands } from './commands/table.ts';
import { runCommand } from './run-command.ts';
import type { Terminal } from './terminal.ts';

export type { Terminal } from './terminal.ts';

/**
 * Runs a command of the package. Operator commands are not included, because each installation has its own command line
 * for them.
 */
export const runOctavo = (typed: string[], terminal: Terminal): Promise<number> =>
  runCommand(commands, typed, terminal);
