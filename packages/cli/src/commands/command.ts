import { misuse } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

/** A command of the CLI. Its options have the format of `parseArgs` in node:util. */
export interface Command {
  summary: string;
  usage: string;
  options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>;
  /** Number of required arguments. */
  arguments: number;
  /** Number of optional arguments. */
  optionalArguments?: number;
  run: (input: CommandInput, terminal: Terminal) => Promise<number>;
}

/** Commands by their names, of one or two words. Their modules are loaded when they are needed. */
export type CommandTable = Record<string, () => Command | Promise<Command>>;

interface CommandInput {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
}

type Value = CommandInput['values'][string];

/** Returns the value of a text option. */
export const getText = (value: Value): string | undefined => (typeof value === 'string' ? value : undefined);

/** Returns the values of a text option that can be repeated. */
export const getTexts = (value: Value): string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string');

/** Parses the number given for an option. @throws Failure if it is not an integer from `minimum` to `most` */
export function parseWholeNumber(option: string, text: string, minimum: number, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= minimum && number <= most) return number;
  throw misuse(`--${option} must be a number from ${minimum} to ${most}.`);
}
