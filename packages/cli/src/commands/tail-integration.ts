import { setTimeout as wait } from 'node:timers/promises';
import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { followEvents, tellEvent } from '../integration/follow-events.ts';
import { ofIntegration } from '../integration/of-integration.ts';
import { readManifest } from '../integration/read-manifest.ts';
import { interrupted } from '../interrupted.ts';
import { print } from '../terminal.ts';
import type { Command } from './command.ts';

const betweenMilliseconds = 2000;

export const tailIntegration: Command = {
  summary: 'Show what the script of an integration was called for and what it logged, until Ctrl-C',
  usage: 'octavo integration tail [<name>] [--once] [--json]',
  options: { once: { type: 'boolean' }, json: { type: 'boolean' } },
  arguments: 0,
  optionalArguments: 1,
  run: async ({ values, positionals: [name] }, terminal) => {
    const integrationName = name ?? (await readManifest('.', terminal)).manifest.name;
    const api = connect(await findConnection(terminal.env));
    const readNew = followEvents(api, integrationName);
    const end = new AbortController();
    if (!values.once) void interrupted().then(() => end.abort());
    while (!end.signal.aborted) {
      for (const event of await ofIntegration(integrationName, readNew)) {
        const { trace } = await api.getIntegrationEvent({ params: { integrationName, eventId: event.id } });
        const lines = values.json ? [JSON.stringify({ ...event, trace })] : tellEvent(event, trace ?? { logs: [] });
        for (const line of lines) print(terminal, line);
      }
      if (values.once) break;
      await wait(betweenMilliseconds, undefined, { signal: end.signal }).catch(() => undefined);
    }
    return 0;
  },
};
