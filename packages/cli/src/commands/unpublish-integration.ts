import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { ofIntegration } from '../integration/of-integration.ts';
import { print } from '../terminal.ts';
import type { Command } from './command.ts';

export const unpublishIntegration: Command = {
  summary: 'Take an integration away for good, with all its installations',
  usage: 'octavo integration unpublish <name>',
  options: {},
  arguments: 1,
  run: async ({ positionals: [integrationName = ''] }, terminal) => {
    const api = connect(await findConnection(terminal.env));
    await ofIntegration(integrationName, (params) => api.unpublishIntegration({ params }));
    print(terminal, `Unpublished ${integrationName}.`);
    return 0;
  },
};
