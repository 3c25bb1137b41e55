import { parseArgs } from 'node:util';
import type { Command, CommandTable } from './commands/command.ts';
import { explainFailure, Failure, getMessage, misuse } from './failure.ts';
import { print, type Terminal, warn } from './terminal.ts';

async function run(commands: CommandTable, typed: string[], terminal: Terminal): Promise<number> {
  if (typed[0] === undefined || typed[0] === '--help' || typed[0] === '-h' || typed[0] === 'help') {
    terminal.stdout.write(await formatOverview(commands));
    return typed[0] === undefined ? 2 : 0;
  }
  const { name, args } = splitName(commands, typed);
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) return runGroup(commands, name, args, terminal);
  const command = await load();
  const input = readArguments(name, command, args);
  if (!input.values.help) return command.run(input, terminal);
  print(terminal, `${command.summary}.\n\n  ${command.usage}`);
  return 0;
}

/** Handles a name that is only the first word of several commands: prints their help. @throws Failure without --help */
async function runGroup(commands: CommandTable, group: string, [next]: string[], terminal: Terminal): Promise<number> {
  const names = Object.keys(commands).filter((name) => name.startsWith(`${group} `));
  if (names.length === 0) throw misuse(`Unknown command ${group}. Run octavo --help for a list of commands.`);
  if (next !== '--help' && next !== '-h') {
    const problem = next === undefined ? 'requires a subcommand' : `has no subcommand ${next}`;
    const rest = names.map((name) => name.slice(group.length + 1)).join(', ');
    throw misuse(`octavo ${group} ${problem}. Use one of: ${rest}. Run octavo ${group} --help for details.`);
  }
  terminal.stdout.write(await describe(commands, names));
  return 0;
}

/** Splits the arguments into the longest matching command name, of one or two words, and the remaining arguments. */
function splitName(commands: CommandTable, typed: string[]): { name: string; args: string[] } {
  const both = typed.slice(0, 2).join(' ');
  return Object.hasOwn(commands, both)
    ? { name: both, args: typed.slice(2) }
    : { name: typed[0] ?? '', args: typed.slice(1) };
}

function readArguments(name: string, command: Command, args: string[]) {
  const options = { ...command.options, help: { type: 'boolean' as const, short: 'h' } };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const excess = positionals.length - command.arguments;
    if (values.help || (excess >= 0 && excess <= (command.optionalArguments ?? 0))) return { values, positionals };
  } catch (error) {
    const sentence = getMessage(error).split('. ')[0]?.replace(/\.$/, '');
    throw misuse(`${sentence}. Run octavo ${name} --help for usage.`);
  }
  throw misuse(`Usage: ${command.usage}`);
}

async function describe(commands: CommandTable, names: string[]): Promise<string> {
  const loadedCommands = await Promise.all(names.flatMap((name) => commands[name]?.() ?? []));
  return loadedCommands.map(({ usage, summary }) => `  ${usage}\n      ${summary}.\n`).join('');
}

async function formatOverview(commands: CommandTable): Promise<string> {
  const all = await describe(commands, Object.keys(commands));
  return (
    `Octavo, a documentation platform.\n\n${all}\nThe server is taken from OCTAVO_URL and OCTAVO_TOKEN, then ` +
    '.octavo/dev.json, then the stored login.\n'
  );
}

/** Runs one of the commands with the arguments that follow `octavo`. Returns the exit code. */
export const runCommand = (commands: CommandTable, typed: string[], terminal: Terminal): Promise<number> =>
  run(commands, typed, terminal).catch((error: unknown) => {
    warn(terminal, `octavo: ${explainFailure(error)}`);
    return error instanceof Failure ? error.exitCode : 1;
  });
