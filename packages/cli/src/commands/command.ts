import { misuse } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

/** A command of the command line: its options as node:util parseArgs takes them. */
export interface Command {
  summary: string;
  usage: string;
  options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>;
  /** How many arguments it needs. */
  arguments: number;
  /** How many more it takes. */
  optionalArguments?: number;
  run: (input: CommandInput, terminal: Terminal) => Promise<number>;
}

interface CommandInput {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
}

type Value = CommandInput['values'][string];

/** The value of an option that takes text. */
export const textOf = (value: Value): string | undefined => (typeof value === 'string' ? value : undefined);

/** The values of an option that takes text, and may be given again. */
export const textsOf = (value: Value): string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string');

/** A number that was typed for an option. @throws Failure */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw misuse(`--${option} is a number from ${least} to ${most}.`);
}
