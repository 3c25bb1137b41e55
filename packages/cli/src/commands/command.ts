import { misuse } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

/** An option of a command, also in the format of `parseArgs` in node:util. */
export interface Option {
  type: 'string' | 'boolean';
  multiple?: boolean;
  required?: boolean;
  /** The placeholder of the value in the usage. */
  value?: string;
  /** The only values that the option can have. */
  choices?: readonly string[];
  description: string;
}

/** A command of the CLI. Its usage, help, shell completion and documentation follow from this description. */
export interface Command {
  summary: string;
  /** The placeholders of the arguments, such as `<folder>`, or `[<folder>]` for an optional one. */
  arguments: string[];
  options: Record<string, Option>;
  run: (input: CommandInput, terminal: Terminal) => Promise<number>;
}

type Details = Pick<Option, 'required' | 'multiple'>;

/** Describes an option without a value. */
export const flag = (description: string, details: Details = {}): Option => ({
  type: 'boolean',
  description,
  ...details,
});

/** Describes an option with a value. */
export const text = (value: string, description: string, details: Details = {}): Option => ({
  type: 'string',
  value,
  description,
  ...details,
});

/** Describes an option that has one of several values. */
export const choice = (choices: readonly string[], description: string): Option => ({
  type: 'string',
  value: `<${choices.join('|')}>`,
  choices,
  description,
});

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
