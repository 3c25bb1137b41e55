import { parseArgs } from 'node:util';
import { version } from './api.ts';
import { type Command, type CommandTable, getOptions } from './commands/command.ts';
import { createMisuseError, explainFailure, Failure, getMessage } from './failure.ts';
import { print, type Terminal, warn } from './terminal.ts';

async function parseAndRun(commands: CommandTable, typed: string[], terminal: Terminal): Promise<number> {
  if (typed[0] === undefined || typed[0] === '--help' || typed[0] === '-h' || typed[0] === 'help') {
    terminal.stdout.write(await formatOverview(commands));
    return typed[0] === undefined ? 2 : 0;
  }
  if (typed[0] === '--version' || typed[0] === '-v') {
    print(terminal, version);
    return 0;
  }
  const { name, args } = parseCommandName(commands, typed);
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) return printGroupHelp(commands, name, args, terminal);
  const command = await load();
  const input = readArguments(name, command, args);
  if (!input.values.help) return command.run(input, terminal, commands);
  print(terminal, formatHelp(name, command));
  return 0;
}

/** Handles a name that is only the first word of several commands: prints their help. @throws Failure without --help */
async function printGroupHelp(
  commands: CommandTable,
  group: string,
  [next]: string[],
  terminal: Terminal,
): Promise<number> {
  const names = Object.keys(commands).filter((name) => name.startsWith(`${group} `));
  if (names.length === 0)
    throw createMisuseError(`Unknown command ${group}. Run octavo --help for a list of commands.`);
  if (next !== '--help' && next !== '-h') {
    const problem = next === undefined ? 'requires a subcommand' : `has no subcommand ${next}`;
    const rest = names.map((name) => name.slice(group.length + 1)).join(', ');
    throw createMisuseError(`octavo ${group} ${problem}. Use one of: ${rest}. Run octavo ${group} --help for details.`);
  }
  terminal.stdout.write(await describe(commands, names));
  return 0;
}

/** Splits the arguments into the longest matching command name, of one or two words, and the remaining arguments. */
function parseCommandName(commands: CommandTable, typed: string[]): { name: string; args: string[] } {
  const both = typed.slice(0, 2).join(' ');
  return Object.hasOwn(commands, both)
    ? { name: both, args: typed.slice(2) }
    : { name: typed[0] ?? '', args: typed.slice(1) };
}

/** Returns how a command is used, such as `octavo export <space> <folder> [--force] [--git]`. */
function formatUsage(name: string, command: Command): string {
  const { help: _, ...options } = getOptions(command);
  const formatted = Object.entries(options).map(([option, { value, required, multiple }]) => {
    const whole = `--${option}${value === undefined ? '' : ` ${value}`}`;
    return `${required ? whole : `[${whole}]`}${multiple ? '...' : ''}`;
  });
  return ['octavo', name, ...command.arguments, ...formatted].join(' ');
}

function formatHelp(name: string, command: Command): string {
  const rows = Object.entries(getOptions(command)).map(([option, { value, description }]) => [
    `--${option}${value === undefined ? '' : ` ${value}`}`,
    `${description}.`,
  ]);
  const width = Math.max(...rows.map(([option = '']) => option.length));
  const lines = rows.map(([option = '', description]) => `  ${option.padEnd(width)}  ${description}\n`);
  return `${command.summary}.\n\n  ${formatUsage(name, command)}\n\n${lines.join('')}`.trimEnd();
}

function readArguments(name: string, command: Command, args: string[]) {
  const options = getOptions(command);
  const required = command.arguments.filter((operand) => !operand.startsWith('['));
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const isComplete = positionals.length >= required.length && positionals.length <= command.arguments.length;
    if (values.help || isComplete) return { values, positionals };
  } catch (error) {
    const sentence = getMessage(error).split('. ')[0]?.replace(/\.$/, '');
    throw createMisuseError(`${sentence}. Run octavo ${name} --help for usage.`);
  }
  throw createMisuseError(`Usage: ${formatUsage(name, command)}`);
}

async function describe(commands: CommandTable, names: string[]): Promise<string> {
  const lines = names.map(async (name) => {
    const command = await commands[name]?.();
    return command === undefined ? '' : `  ${formatUsage(name, command)}\n      ${command.summary}.\n`;
  });
  return (await Promise.all(lines)).join('');
}

async function formatOverview(commands: CommandTable): Promise<string> {
  const all = await describe(commands, Object.keys(commands));
  return (
    `Octavo, a documentation platform.\n\n${all}\nThe server is read from OCTAVO_URL and OCTAVO_TOKEN. ` +
    'If they are not set, it is read from .octavo/dev.json, and otherwise from the stored login.\n'
  );
}

/** Runs one of the commands with the arguments that follow `octavo`. Returns the exit code. */
export const runCommand = (commands: CommandTable, typed: string[], terminal: Terminal): Promise<number> =>
  parseAndRun(commands, typed, terminal).catch((error: unknown) => {
    warn(terminal, `octavo: ${explainFailure(error)}`);
    return error instanceof Failure ? error.exitCode : 1;
  });
