import { parseArgs } from 'node:util';
import type { Command } from './commands/command.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { unpublishIntegration } from './commands/integration.ts';
import { login } from './commands/login.ts';
import { publish } from './commands/publish.ts';
import { publishOpenAPI } from './commands/publish-openapi.ts';
import { spaces } from './commands/spaces.ts';
import { deliveries, listenToWebhook, testWebhook, webhooks } from './commands/webhooks.ts';
import { explainFailure, Failure, getMessage, misuse } from './failure.ts';
import { print, type Terminal, warn } from './terminal.ts';

const commands: Record<string, () => Command | Promise<Command>> = {
  login: () => login,
  spaces: () => spaces,
  import: () => importCommand,
  export: () => exportCommand,
  sync: async () => (await import('./commands/sync.ts')).syncCommand,
  publish: () => publish,
  'openapi publish': () => publishOpenAPI,
  // The bundler takes long to load.
  'integration init': async () => (await import('./commands/integration.ts')).initIntegration,
  'integration publish': async () => (await import('./commands/integration.ts')).publishIntegration,
  'integration dev': async () => (await import('./commands/integration.ts')).developIntegration,
  'integration tail': async () => (await import('./commands/integration.ts')).tailIntegration,
  'integration unpublish': () => unpublishIntegration,
  'webhook list': () => webhooks,
  'webhook test': () => testWebhook,
  'webhook deliveries': () => deliveries,
  'webhook listen': () => listenToWebhook,
  // The platform packages take long to load, and only the operator commands need them.
  token: async () => (await import('./commands/operator.ts')).token,
  'admin create': async () => (await import('./commands/operator.ts')).createAdmin,
  jobs: async () => (await import('./commands/operator.ts')).jobs,
  'jobs replay': async () => (await import('./commands/operator.ts')).replayJobs,
  metrics: async () => (await import('./commands/operator.ts')).metrics,
  backup: async () => (await import('./commands/backup.ts')).backup,
  restore: async () => (await import('./commands/backup.ts')).restoreBackup,
  upgrade: async () => (await import('./commands/backup.ts')).upgradeVersion,
  rollback: async () => (await import('./commands/backup.ts')).rollBackVersion,
  doctor: async () => (await import('./commands/operator.ts')).doctor,
  'search rebuild': async () => (await import('./commands/operator.ts')).rebuildSearch,
};

async function run(typed: string[], terminal: Terminal): Promise<number> {
  if (typed[0] === undefined || typed[0] === '--help' || typed[0] === '-h' || typed[0] === 'help') {
    terminal.stdout.write(await formatOverview());
    return typed[0] === undefined ? 2 : 0;
  }
  const { name, args } = splitName(typed);
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) return runGroup(name, args, terminal);
  const command = await load();
  const input = readArguments(name, command, args);
  if (!input.values.help) return command.run(input, terminal);
  print(terminal, `${command.summary}.\n\n  ${command.usage}`);
  return 0;
}

/** Handles a name that is only the first word of several commands: prints their help. @throws Failure without --help */
async function runGroup(group: string, [next]: string[], terminal: Terminal): Promise<number> {
  const names = Object.keys(commands).filter((name) => name.startsWith(`${group} `));
  if (names.length === 0) throw misuse(`Unknown command ${group}. Run octavo --help for a list of commands.`);
  if (next !== '--help' && next !== '-h') {
    const problem = next === undefined ? 'requires a subcommand' : `has no subcommand ${next}`;
    const rest = names.map((name) => name.slice(group.length + 1)).join(', ');
    throw misuse(`octavo ${group} ${problem}. Use one of: ${rest}. Run octavo ${group} --help for details.`);
  }
  terminal.stdout.write(await describe(names));
  return 0;
}

/** Splits the arguments into the longest matching command name, of one or two words, and the remaining arguments. */
function splitName(typed: string[]): { name: string; args: string[] } {
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

async function describe(names: string[]): Promise<string> {
  const loadedCommands = await Promise.all(names.flatMap((name) => commands[name]?.() ?? []));
  return loadedCommands.map(({ usage, summary }) => `  ${usage}\n      ${summary}.\n`).join('');
}

async function formatOverview(): Promise<string> {
  const all = await describe(Object.keys(commands));
  return (
    `Octavo, a documentation platform.\n\n${all}\nThe server is taken from OCTAVO_URL and OCTAVO_TOKEN, then ` +
    '.octavo/dev.json, then the stored login.\n'
  );
}

/** Runs a command with the arguments that follow `octavo`. Returns the exit code. */
export const octavo = (typed: string[], terminal: Terminal): Promise<number> =>
  run(typed, terminal).catch((error: unknown) => {
    warn(terminal, `octavo: ${explainFailure(error)}`);
    return error instanceof Failure ? error.exitCode : 1;
  });
