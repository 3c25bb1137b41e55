import { commands } from './commands/table.ts';
import { runCommand } from './run-command.ts';
import type { Terminal } from './terminal.ts';

export type { Terminal } from './terminal.ts';

/**
 * Runs a command of the package, without those of operators: they belong to an installation, which has its own command
 * line.
 */
export const octavo = (typed: string[], terminal: Terminal): Promise<number> => runCommand(commands, typed, terminal);
