import { expect, test } from 'vitest';
import { pickFreePort } from '../support/free-port.ts';
import { octavo, writeTree } from './octavo.ts';

const sample = {
  'a.md': 'a',
  'integration.yaml': 'name: not-published\ntitle: Sample\nscript: index.ts\n',
  'index.ts': "export default { fetch: () => new Response('here') };",
};

const commands = [
  'spaces',
  'import FOLDER --space new',
  'integration publish FOLDER',
  'integration dev FOLDER',
  'integration tail not-published',
  'integration unpublish not-published',
  'webhook list',
  'webhook test not-published',
  'webhook deliveries not-published',
];

// The commands run concurrently, because each retries its request for six seconds.
test('every command reports an unreachable server in one sentence', async () => {
  const env = { OCTAVO_URL: `http://127.0.0.1:${await pickFreePort()}`, OCTAVO_TOKEN: 'x' };
  const folder = await writeTree(sample);
  const results = await Promise.all(
    commands.map(async (command) => ({
      command,
      ...(await octavo(env, ...command.replace('FOLDER', folder).split(' '))),
    })),
  );

  expect(results).toEqual(
    commands.map((command) => ({
      command,
      code: 1,
      // `integration dev` builds the script before it contacts the server.
      stdout: command.startsWith('integration dev') ? expect.stringMatching(/^(?:Built\.\n)?$/) : '',
      stderr: expect.stringMatching(/^octavo: The server could not be reached: [^\n]*ECONNREFUSED[^\n]*\.\n$/),
    })),
  );
});
