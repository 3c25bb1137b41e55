import { setTimeout as wait } from 'node:timers/promises';
import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import { beginIntegration } from '../integration/begin-integration.ts';
import { watchScript } from '../integration/build-script.ts';
import { followEvents, openDevServer, printEvent } from '../integration/dev-server.ts';
import { readManifest } from '../integration/manifest.ts';
import { findByName, publishManifest, runWhileDeveloped } from '../integration/publish.ts';
import { print, waitForInterrupt, warn } from '../terminal.ts';
import {
  type Command,
  createFlag,
  createTextOption,
  getText,
  parseWholeNumber,
  printLine,
  printResult,
} from './command.ts';

export const initIntegration: Command = {
  summary: 'Create an integration: write a manifest and a script to a folder',
  arguments: ['[<folder>]'],
  options: {
    name: createTextOption('<name>', 'The name of the integration. The default is the name of the folder'),
  },
  json: { fields: ['name', 'files'] },
  run: async (input, terminal) => {
    const {
      values,
      positionals: [folder = '.'],
    } = input;
    const { name, files } = await beginIntegration(folder, getText(values.name));
    const line = `Created ${name}: ${files.join(', ')}. To publish it, run octavo integration publish ${folder}.`;
    printResult(terminal, input, { name, files }, line);
    return 0;
  },
};

export const publishIntegration: Command = {
  summary: 'Build an integration from its manifest and publish it or a new version of it',
  arguments: ['[<folder>]'],
  options: {
    organization: createTextOption(
      '<id>',
      'The organization that owns the integration. Required if you are an admin of several',
    ),
    env: createTextOption('<name>', 'The environment of the manifest to use'),
  },
  json: { fields: ['name', 'version', 'url'] },
  run: async (input, terminal) => {
    const {
      values,
      positionals: [folder = '.'],
    } = input;
    const foundManifest = await readManifest(folder, terminal, getText(values.env));
    const api = connect(await findConnection(terminal.env));
    const { name, version, urls } = await publishManifest(api, foundManifest, getText(values.organization));
    const line = `Published ${name}, version ${version}: ${urls.location}`;
    printResult(terminal, input, { name, version, url: urls.location }, line);
    return 0;
  },
};

export const developIntegration: Command = {
  summary: 'Run the script of an integration on this machine and receive its events, until Ctrl-C',
  arguments: ['[<folder>]'],
  options: {
    tunnel: createTextOption(
      '<url>',
      'An address through which the server reaches this machine. Required for servers on other machines',
    ),
    port: createTextOption('<number>', 'The local port. The default is a free one'),
    env: createTextOption('<name>', 'The environment of the manifest to use'),
  },
  json: { kind: 'lines', fields: ['message'] },
  run: async (input, terminal) => {
    const {
      values,
      positionals: [folder = '.'],
    } = input;
    const printMessage = (message: string) => printLine(terminal, input, { message }, message);
    const port = parseWholeNumber('port', getText(values.port) ?? '0', 0, 65_535);
    const foundManifest = await readManifest(folder, terminal, getText(values.env));
    const connection = await findConnection(terminal.env);
    const api = connect(connection);
    const server = await openDevServer(port, printMessage);
    const ended = waitForInterrupt();
    try {
      const tunnelUrl = getText(values.tunnel) ?? requireLoopback(connection.url, server.url);
      const stopWatching = await watchScript(foundManifest, {
        onBuilt: async (script) => {
          await server.use(script);
          printMessage('Built.');
        },
        onFailed: (message) => warn(terminal, `The script could not be built.\n${message}`),
      });
      const onRenewalFailure = (message: string) =>
        warn(
          terminal,
          `octavo: The connection for events could not be renewed and expires after 2 minutes. ${message}`,
        );
      const session = { api, integrationName: foundManifest.manifest.name, tunnelUrl, onRenewalFailure };
      await runWhileDeveloped(session, async () => {
        const forwardingNote = tunnelUrl === server.url ? '' : `, which forwards to ${server.url}`;
        printMessage(`Events of ${foundManifest.manifest.name} are sent to ${tunnelUrl}${forwardingNote}.`);
        await ended;
      }).finally(stopWatching);
    } finally {
      await server.stop();
    }
    printMessage(`Events of ${foundManifest.manifest.name} are sent to the published version again.`);
    return 0;
  },
};

/**
 * Returns the local URL of the script if the platform runs on this machine. Other platforms need a tunnel.
 * @throws Failure
 */
function requireLoopback(platform: string, localUrl: string): string {
  if (/^(127\.|localhost$|\[::1\]$)/.test(new URL(platform).hostname)) return localUrl;
  throw new Failure(
    `The server is on another machine. Set --tunnel to a URL through which it can reach ${localUrl}.`,
    2,
  );
}

const betweenMilliseconds = 2000;

export const tailIntegration: Command = {
  summary: 'Show the events and logs of an integration, until Ctrl-C',
  arguments: ['[<name>]'],
  options: {
    once: createFlag('Print the existing runs and exit'),
  },
  json: { kind: 'lines', fields: ['id', 'createdAt', 'status', 'payload', 'trace'] },
  run: async ({ values, positionals: [name] }, terminal) => {
    const integrationName = name ?? (await readManifest('.', terminal)).manifest.name;
    const api = connect(await findConnection(terminal.env));
    const readNew = followEvents(api, integrationName);
    const end = new AbortController();
    if (!values.once) void waitForInterrupt().then(() => end.abort());
    while (!end.signal.aborted) {
      const events = await findByName(integrationName, readNew);
      if (values.once && events.length === 0) warn(terminal, `${integrationName} has no runs yet.`);
      for (const event of events) {
        const { trace } = await api.getIntegrationEvent({ params: { integrationName, eventId: event.id } });
        const lines = values.json ? [JSON.stringify({ ...event, trace })] : printEvent(event, trace ?? { logs: [] });
        for (const line of lines) print(terminal, line);
      }
      if (values.once) break;
      await wait(betweenMilliseconds, undefined, { signal: end.signal }).catch(() => undefined);
    }
    return 0;
  },
};

export const unpublishIntegration: Command = {
  summary: 'Delete an integration permanently, with all its installations',
  arguments: ['<name>'],
  options: {},
  json: { fields: ['name'] },
  run: async (input, terminal) => {
    const [integrationName = ''] = input.positionals;
    const api = connect(await findConnection(terminal.env));
    await findByName(integrationName, (params) => api.unpublishIntegration({ params }));
    printResult(terminal, input, { name: integrationName }, `Unpublished ${integrationName}.`);
    return 0;
  },
};
