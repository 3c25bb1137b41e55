import type { Terminal } from '../terminal.ts';

/** A command of the command line: its options as node:util parseArgs takes them. */
export interface Command {
  summary: string;
  usage: string;
  options: Record<string, { type: 'string' | 'boolean' }>;
  /** How many arguments it needs. */
  arguments: number;
  /** How many more it takes. */
  optionalArguments?: number;
  run: (input: CommandInput, terminal: Terminal) => Promise<number>;
}

export interface CommandInput {
  values: Record<string, string | boolean | undefined>;
  positionals: string[];
}

/** The value of an option that takes text. */
export const textOf = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
