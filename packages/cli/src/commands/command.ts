import { createMisuseError } from '../failure.ts';
import { print, type Terminal } from '../terminal.ts';

/** An option of a command. It can be passed to `parseArgs` from node:util. */
export interface Option {
  type: 'string' | 'boolean';
  multiple?: boolean;
  required?: boolean;
  /** The placeholder of the value in the usage. */
  value?: string;
  /** The allowed values of the option. */
  choices?: readonly string[];
  description: string;
}

/** The JSON that a command prints with `--json`: one object, a list of objects, or one object per line. */
interface JsonOutput {
  kind?: 'list' | 'lines';
  /** The names of the fields. Those that end with `?` can be missing. */
  fields: readonly string[];
}

/** A command of the CLI. Its usage, help, shell completion and documentation follow from this description. */
export interface Command {
  summary: string;
  /** The placeholders of the arguments, such as `<folder>`, or `[<folder>]` for an optional one. */
  arguments: string[];
  options: Record<string, Option>;
  json: JsonOutput;
  /** `table` contains all commands, for commands that describe the whole CLI. */
  run: (input: CommandInput, terminal: Terminal, table: CommandTable) => Promise<number>;
}

/** Describes the JSON output of a command for its help. */
export function describeJson({ kind, fields }: JsonOutput): string {
  const names = fields.join(', ');
  if (kind === 'list') return `Print JSON: a list of objects with ${names}`;
  return kind === 'lines' ? `Print JSON, one object per line, with ${names}` : `Print JSON: an object with ${names}`;
}

/** Prints the result of a command: as JSON with `--json`, otherwise as lines. */
export function printResult(
  terminal: Terminal,
  { values }: Pick<CommandInput, 'values'>,
  result: unknown,
  lines: string | readonly string[],
): void {
  if (values.json === true) print(terminal, JSON.stringify(result, null, 2));
  else for (const line of [lines].flat()) print(terminal, line);
}

/**
 * Prints one of several results that a command prints over time: as one line of JSON with `--json`, otherwise as one
 * line of text.
 */
export function printLine(terminal: Terminal, { values }: Pick<CommandInput, 'values'>, result: object, line: string) {
  print(terminal, values.json === true ? JSON.stringify(result) : line);
}

type Details = Pick<Option, 'required' | 'multiple'>;

/** Describes an option without a value. */
export const createFlag = (description: string, details: Details = {}): Option => ({
  type: 'boolean',
  description,
  ...details,
});

/** Describes an option with a value. */
export const createTextOption = (value: string, description: string, details: Details = {}): Option => ({
  type: 'string',
  value,
  description,
  ...details,
});

/** Describes an option that has one of several values. */
export const createChoiceOption = (choices: readonly string[], description: string): Option => ({
  type: 'string',
  value: `<${choices.join('|')}>`,
  choices,
  description,
});

/** Commands by their names, of one or two words. Their modules are loaded when they are needed. */
export type CommandTable = Record<string, () => Command | Promise<Command>>;

export interface CommandInput {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
}

type Value = CommandInput['values'][string];

/** Returns the value of a text option. */
export const getText = (value: Value): string | undefined => (typeof value === 'string' ? value : undefined);

/** Returns the values of a text option that can be repeated. */
export const getTexts = (value: Value): string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string');

/** Parses the number given for an option. @throws Failure if it is not an integer from `minimum` to `maximum` */
export function parseWholeNumber(option: string, text: string, minimum: number, maximum: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= minimum && number <= maximum) return number;
  throw createMisuseError(`--${option} must be a number from ${minimum} to ${maximum}.`);
}

const help: Option & { short: string } = { ...createFlag('Print this help'), short: 'h' };

/** Returns the options of a command, including the options that all commands have. */
export const getOptions = ({ options, json }: Command): Record<string, Option> => ({
  ...options,
  json: createFlag(describeJson(json)),
  help,
});
