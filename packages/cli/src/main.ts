import { parseArgs } from 'node:util';
import type { Command } from './commands/command.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { login } from './commands/login.ts';
import { spaces } from './commands/spaces.ts';
import { explainFailure, Failure, messageOf, misuse } from './failure.ts';

const commands: Record<string, () => Command | Promise<Command>> = {
  login: () => login,
  spaces: () => spaces,
  import: () => importCommand,
  export: () => exportCommand,
  // The platform's packages take long to load and only this command needs them.
  token: async () => (await import('./commands/token.ts')).token,
};

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(await overview());
    return name === undefined ? 2 : 0;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) throw misuse(`There is no command ${name}; octavo --help lists them.`);
  const command = await load();
  const input = readArguments(name, command, args);
  if (!input.values.help) return command.run(input);
  process.stdout.write(`${command.summary}.\n\n  ${command.usage}\n`);
  return 0;
}

function readArguments(name: string, command: Command, args: string[]) {
  const options = { ...command.options, help: { type: 'boolean' as const, short: 'h' } };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (values.help || positionals.length === command.arguments) return { values, positionals };
  } catch (error) {
    const sentence = messageOf(error).split('. ')[0]?.replace(/\.$/, '');
    throw misuse(`${sentence}; octavo ${name} --help shows what there is.`);
  }
  throw misuse(`The command is used as: ${command.usage}`);
}

async function overview(): Promise<string> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  const lines = loaded.map(({ usage, summary }) => `  ${usage}\n      ${summary}.\n`);
  return `Octavo, a documentation platform.\n\n${lines.join('')}\nThe server: OCTAVO_URL and OCTAVO_TOKEN, else .octavo/dev.json here, else the stored login.\n`;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`octavo: ${explainFailure(error)}\n`);
  return error instanceof Failure ? error.exitCode : 1;
});
