import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { publishManifest } from '../integration/publish-manifest.ts';
import { readManifest } from '../integration/read-manifest.ts';
import { print } from '../terminal.ts';
import { type Command, textOf } from './command.ts';

export const publishIntegration: Command = {
  summary: 'Build an integration by its manifest and publish it, or a new version of it',
  usage: 'octavo integration publish [<folder>] [--organization <id>] [--env <name>]',
  options: { organization: { type: 'string' }, env: { type: 'string' } },
  arguments: 0,
  optionalArguments: 1,
  run: async ({ values, positionals: [folder = '.'] }, terminal) => {
    const found = await readManifest(folder, terminal, textOf(values.env));
    const api = connect(await findConnection(terminal.env));
    const { name, version, urls } = await publishManifest(api, found, textOf(values.organization));
    print(terminal, `Published ${name}, version ${version}: ${urls.app}`);
    return 0;
  },
};
