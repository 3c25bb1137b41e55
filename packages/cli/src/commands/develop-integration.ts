import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import { openDevServer } from '../integration/dev-server.ts';
import { readManifest } from '../integration/read-manifest.ts';
import { watchScript } from '../integration/watch-script.ts';
import { whileDeveloped } from '../integration/while-developed.ts';
import { interrupted } from '../interrupted.ts';
import { print, warn } from '../terminal.ts';
import { type Command, textOf } from './command.ts';
import { wholeNumber } from './whole-number.ts';

export const developIntegration: Command = {
  summary: 'Run the script of an integration here and have its events sent to it, until Ctrl-C',
  usage: 'octavo integration dev [<folder>] [--tunnel <url>] [--port <number>] [--env <name>]',
  options: {
    tunnel: { type: 'string' },
    port: { type: 'string' },
    env: { type: 'string' },
  },
  arguments: 0,
  optionalArguments: 1,
  run: async ({ values, positionals: [folder = '.'] }, terminal) => {
    const port = wholeNumber('port', textOf(values.port) ?? '0', 0, 65_535);
    const found = await readManifest(folder, terminal, textOf(values.env));
    const connection = await findConnection(terminal.env);
    const api = connect(connection);
    const server = await openDevServer(port, (line) => print(terminal, line));
    const ended = interrupted();
    try {
      const tunnelUrl = textOf(values.tunnel) ?? loopback(connection.url, server.url);
      const stopWatching = await watchScript(found, {
        onBuilt: async (script) => {
          await server.use(script);
          print(terminal, 'Built.');
        },
        onFailed: (why) => warn(terminal, `The script cannot be built.\n${why}`),
      });
      const onNotRenewed = (why: string) =>
        warn(terminal, `octavo: That events are sent here could not be renewed, and ends after 2 minutes. ${why}`);
      const developed = { api, integrationName: found.manifest.name, tunnelUrl, onNotRenewed };
      await whileDeveloped(developed, async () => {
        const here = tunnelUrl === server.url ? '' : `, which is ${server.url} here`;
        print(terminal, `Events of ${found.manifest.name} are sent to ${tunnelUrl}${here}.`);
        await ended;
      }).finally(stopWatching);
    } finally {
      await server.stop();
    }
    print(terminal, `Events of ${found.manifest.name} are sent to what is published again.`);
    return 0;
  },
};

/** A platform on this machine reaches the script as it is; another one needs a tunnel. @throws Failure */
function loopback(platform: string, here: string): string {
  if (/^(127\.|localhost$|\[::1\]$)/.test(new URL(platform).hostname)) return here;
  throw new Failure(`The platform is on another machine: give the address by which it reaches ${here} as --tunnel.`, 2);
}
