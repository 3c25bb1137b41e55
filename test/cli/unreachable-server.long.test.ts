import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { octavo, writeTree } from './octavo.ts';

const sample = {
  'a.md': 'a',
  'integration.yaml': 'name: not-published\ntitle: Sample\nscript: index.ts\n',
  'index.ts': "export default { fetch: () => new Response('here') };",
};

// Concurrent: each command repeats its request for six seconds.
test.concurrent.each([
  'spaces',
  'import FOLDER --space new',
  'integration publish FOLDER',
  'integration dev FOLDER',
  'integration tail not-published',
  'integration unpublish not-published',
  'webhook list',
  'webhook test not-published',
  'webhook deliveries not-published',
])('octavo %s reports in one sentence that no server answers', async (command) => {
  const env = { OCTAVO_URL: `http://127.0.0.1:${await freePort()}`, OCTAVO_TOKEN: 'x' };
  const folder = await writeTree(sample);

  const { code, stdout, stderr } = await octavo(env, ...command.replace('FOLDER', folder).split(' '));

  expect(stderr).toMatch(/^octavo: The server cannot be reached: [^\n]*ECONNREFUSED[^\n]*\.\n$/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});
