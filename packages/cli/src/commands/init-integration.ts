import { beginIntegration } from '../integration/begin-integration.ts';
import { print } from '../terminal.ts';
import { type Command, textOf } from './command.ts';

export const initIntegration: Command = {
  summary: 'Begin an integration: write a manifest and a script into a folder',
  usage: 'octavo integration init [<folder>] [--name <name>]',
  options: { name: { type: 'string' } },
  arguments: 0,
  optionalArguments: 1,
  run: async ({ values, positionals: [folder = '.'] }, terminal) => {
    const { name, files } = await beginIntegration(folder, textOf(values.name));
    print(terminal, `Began ${name}: ${files.join(', ')}. octavo integration publish ${folder} publishes it.`);
    return 0;
  },
};
