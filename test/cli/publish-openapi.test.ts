import path from 'node:path';
import { expect, test } from 'vitest';
import { createPetstoreSpec } from '../publishing/openapi/spec-client.ts';
import { json } from '../support/content.ts';
import { serveLocally } from '../support/local-server.ts';
import { platform } from '../support/platform.ts';
import { createCommandLine, octavo, writeTree } from './octavo.ts';

const getFile = async (text: string) => path.join(await writeTree({ 'openapi.yaml': text }), 'openapi.yaml');

test('waits until a published file is processed, and publishes it again only if it changed', async () => {
  const { octavo, organization } = await createCommandLine();
  const file = await getFile('openapi: 3.1.0\ninfo: {title: Pets, version: "1"}\npaths: {}\n');

  const first = await octavo('openapi', 'publish', file, '--slug', 'pets');
  const again = await octavo('openapi', 'publish', file, '--slug', 'pets', '--organization', organization);

  const address = `${platform().url}/v1/orgs/${organization}/openapi/pets`;
  expect(first).toEqual({ code: 0, stderr: '', stdout: expect.stringMatching(/^Published as version oasv_\w+: http/) });
  expect(first.stdout).toContain(address);
  expect(again).toEqual({
    code: 0,
    stderr: '',
    stdout: first.stdout.replace('Published as', 'No changes since'),
  });
});

test('lets the server fetch the specification from a URL', async () => {
  const { octavo } = await createCommandLine();
  const site = await serveLocally((_, response) => response.end(JSON.stringify(createPetstoreSpec())));

  const { code, stdout } = await octavo('openapi', 'publish', `${site}/openapi.json`, '--slug', 'pets');

  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Published as version') });
});

test('reports an invalid specification with its line or URL, and stores nothing', async () => {
  const { octavo, organization, token } = await createCommandLine();
  const file = await getFile('openapi: 3.1.0\ninfo: [\n');

  const { code, stdout, stderr } = await octavo('openapi', 'publish', file, '--slug', 'pets');

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/openapi\.yaml could not be published\. .*line 3, column 1/);
  const site = await serveLocally((_, response) => response.writeHead(404).end());
  const unreachable = await octavo('openapi', 'publish', `${site}/none.json`, '--slug', 'pets');
  expect(unreachable).toMatchObject({ code: 1, stderr: expect.stringContaining('none.json could not be published.') });
  const list = async () => (await json<{ items: object[] }>(`/v1/orgs/${organization}/openapi`, { token })).items;
  expect(await list()).toEqual([]);

  await octavo('openapi', 'publish', await getFile(JSON.stringify(createPetstoreSpec())), '--slug', 'pets');
  expect(await octavo('openapi', 'publish', `${site}/none.json`, '--slug', 'pets')).toMatchObject({ code: 1 });
  expect(await list()).toMatchObject([{ slug: 'pets', lastVersion: expect.any(String) }]);
});

test('reports a missing slug, a missing file and an empty one', async () => {
  const { env } = await createCommandLine();
  const publish = async (...args: string[]) => octavo(env, 'openapi', 'publish', ...args);

  expect(await publish('x.yaml')).toMatchObject({ code: 2, stderr: expect.stringContaining('--slug is required') });
  expect(await publish('nowhere.yaml', '--slug', 'pets')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^octavo: The file nowhere\.yaml could not be read: [^\n]+\n$/),
  });
  expect(await publish(await getFile(''), '--slug', 'pets')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is empty'),
  });
});
